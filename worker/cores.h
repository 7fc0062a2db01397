/*
 * CPU time inside the windows against what the task allows: wall time times threads. A kernel that
 * had more at work borrowed cores that the other side did not have.
 */
#ifndef FORGE_WORKER_CORES_H
#define FORGE_WORKER_CORES_H

#include "worker/worker.h"

/* May change a passing result.verdict to TAMPER. */
void cores_check(struct worker *w);

#endif
