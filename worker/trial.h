/*
 * The timing stage: K replicates of fresh processes, n rounds of R, C, R' each. Fills
 * result.samples and the "timing" part of the document. It measures and does not decide: the
 * decision rule is stats/paired.h, applied to the samples by whoever asked for them.
 */
#ifndef FORGE_WORKER_TRIAL_H
#define FORGE_WORKER_TRIAL_H

#include "worker/cases.h"
#include "worker/worker.h"

/* A candidate that fails while it is timed changes result.verdict; the samples so far are kept. */
int trial_run(struct worker *w, struct cases *cases, struct err *e);

#endif
