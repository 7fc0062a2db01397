/*
 * What closes a milestone: correctness, performance, mechanism, each pass / fail / undecided /
 * error with the ids of the jobs it rests on.
 */
#ifndef FORGE_ENGINE_GATES_H
#define FORGE_ENGINE_GATES_H

#include <stddef.h>

struct engine;
struct err;

/* Close every gate of the version in force whose milestone comes before `milestone`. Each is
 * closed once a version. */
int gates_close_before(struct engine *g, size_t milestone, struct err *e);

#endif
