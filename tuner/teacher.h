/*
 * The embedded teacher: writes the first curriculum from the reference and its times, and revises
 * it by what was measured. It keeps nothing between turns; what a revision must remember stands in
 * the curriculum itself.
 */
#ifndef FORGE_TUNER_TEACHER_H
#define FORGE_TUNER_TEACHER_H

#include <jansson.h>

struct err;
struct say;
struct tools;

/* Answers, new references: curriculum, or give_up with the reason. NULL: the data is malformed. */
json_t *teacher_curriculum(const json_t *data, const struct say *say, struct err *e);
/* `tools` may be NULL: nothing is measured by forge before the answer. */
json_t *teacher_revision(const json_t *data, const struct say *say, struct tools *tools,
			 struct err *e);

#endif
