/*
 * Two clocks saw every window: the worker's and the runner's. The worker's is the one that counts;
 * a candidate whose runner tells a very different story has written where it may not.
 */
#ifndef FORGE_WORKER_AGREEMENT_H
#define FORGE_WORKER_AGREEMENT_H

#include "worker/worker.h"

/* May change a passing result.verdict to TAMPER. */
void agreement_check(struct worker *w);

#endif
