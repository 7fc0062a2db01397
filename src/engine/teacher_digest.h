/*
 * What the teacher is shown when it comes back (docs/format/teacher-digest.md): fields of the
 * record, re-arranged. Nothing is worded, weighed or left out by judgement: a summary's blind spot
 * would become the diagnosis' blind spot.
 */
#ifndef FORGE_ENGINE_TEACHER_DIGEST_H
#define FORGE_ENGINE_TEACHER_DIGEST_H

#include <jansson.h>

struct engine;

json_t *teacher_digest_make(const struct engine *g);

#endif
