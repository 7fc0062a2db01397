/*
 * The correctness monitor: stress on a kernel that already passed. New seeds on every shape, and on
 * the smallest one inputs far from the task's own groups. Recorded in the result, never judging:
 * whether such inputs are legal only the task's description knows.
 */
#ifndef FORGE_WORKER_MONITOR_H
#define FORGE_WORKER_MONITOR_H

#include "worker/worker.h"

int monitor_run(struct worker *w, struct err *e);

#endif
