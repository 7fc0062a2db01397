/*
 * The timing stage for kernels of a GPU: R, C and R' in one context of a device process, K
 * replicates (code loaded anew, operands at new addresses), n rounds of the three slots in random
 * order. Fills result.samples and the "timing" part of the document; it measures and does not
 * decide, except that some numbers can not be honest.
 */
#ifndef FORGE_WORKER_GPU_TRIAL_H
#define FORGE_WORKER_GPU_TRIAL_H

#include "worker/cases.h"
#include "worker/worker.h"

int gpu_trial_run(struct worker *w, struct cases *cases, struct err *e);

#endif
