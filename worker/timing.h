/*
 * The timing stage as a whole: a trial, what its numbers must pass, and the trial once more when
 * the two clocks that saw it disagree, or too much CPU time was counted. A neighbour on the machine
 * can hold one clock up for a while; a kernel that tampers with its own disagrees whenever it is
 * asked.
 */
#ifndef FORGE_WORKER_TIMING_H
#define FORGE_WORKER_TIMING_H

#include "worker/cases.h"
#include "worker/worker.h"

enum { TIMING_TRIES = 3 };

/* trial_run, or what a test puts in its place. */
typedef int (*timing_trial_fn)(struct worker *w, struct cases *cases, struct err *e);
/* The samples and the verdict are those of the last trial; each repetition is a note. */
int timing_run(struct worker *w, struct cases *cases, timing_trial_fn trial, struct err *e);

#endif
