/*
 * Two jobs that time kernels on one machine at once measure each other. Each replicate therefore
 * takes a lock that all workers of this user share; the jobs take turns.
 */
#ifndef FORGE_WORKER_EXCLUSIVE_H
#define FORGE_WORKER_EXCLUSIVE_H

#include "sys/lock.h"
#include "worker/worker.h"

/* Waits, and says for whom, but never for ever: after a while, or where no lock can be had, the
 * job goes on without it at ordinary priority and a note says so. */
void exclusive_take(struct worker *w, struct lock *l);
void exclusive_give(struct worker *w, struct lock *l);

#endif
