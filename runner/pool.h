/*
 * The thread pool that OpenMP kernels find: libgomp's, made before the object is loaded and before
 * thread creation is forbidden.
 */
#ifndef FORGE_RUNNER_POOL_H
#define FORGE_RUNNER_POOL_H

#include <stdbool.h>

struct doorbell_orders;
struct doorbell_reply;

/* Bind the main thread, make orders->threads - 1 more and bind those too; give each its handler
 * stack. Does not come back when a thread can not be made. */
void pool_make(const struct doorbell_orders *orders, struct doorbell_reply *reply);
/* Has a kernel left other floating-point modes in a thread? They are put back. */
bool pool_modes_changed(unsigned threads);

#endif
