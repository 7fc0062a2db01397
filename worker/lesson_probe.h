/*
 * A `lesson` job: builds the probe of a lesson, in C or CUDA, and runs it, in the compiler's jail,
 * and records what it printed (docs/format/lesson.md). Whether that bears the lesson is not the
 * worker's business. No task, no runner, no operand takes part.
 */
#ifndef FORGE_WORKER_LESSON_PROBE_H
#define FORGE_WORKER_LESSON_PROBE_H

struct err;
struct worker;

/* A probe that does not build or fails is an answer. */
int lesson_probe_run(struct worker *w, struct err *e);

#endif
