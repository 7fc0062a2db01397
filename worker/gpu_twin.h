/*
 * Twins on a GPU: samples on inputs that no kernel of the job has seen (worker/twin.h tells what
 * they are for and judges their times). A kernel can keep answers in memory of the multiprocessors
 * or anywhere in its context; it does not have them for these.
 */
#ifndef FORGE_WORKER_GPU_TWIN_H
#define FORGE_WORKER_GPU_TWIN_H

#include "worker/gpu_trial_in.h"

/* Of how many calls of a sample the twins are all different; 0: no input can be varied. They are
 * contents behind those of the plan. */
unsigned gpu_twins_fit(const struct gpu_plan *p);
/* What call `call` of a window of twins works on, the first of which is that of call `from`. Where
 * fewer fit than there are groups the other calls work as in other windows, so that all groups
 * weigh in this one what they weigh there. */
unsigned gpu_twin_content(const struct gpu_plan *p, unsigned round, unsigned from, unsigned call);
/* Behind a round that was just timed. Nothing happens for most rounds, drawn at random. An enum
 * outcome, or -1. */
int gpu_twin_run(struct gpu_trial *t, struct gpu_plan *p, unsigned round, struct verdict *v,
		 struct err *e);

#endif
