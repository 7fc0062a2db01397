/*
 * Two jobs that time kernels on one machine at once measure each other. Each replicate therefore
 * takes a lock that all workers of this user share; the jobs take turns.
 */
#ifndef FORGE_WORKER_EXCLUSIVE_H
#define FORGE_WORKER_EXCLUSIVE_H

#include "sys/lock.h"
#include "worker/worker.h"

/* Waits, but never for ever: after a while, or where no lock can be had, the replicate goes on
 * without it and a note says so. Release with lock_release. */
void exclusive_take(struct worker *w, struct lock *l);

#endif
