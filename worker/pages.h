/*
 * Large buffers of the worker that its children need not see: a runner is forked from the worker,
 * and copying the page tables of a hundred megabytes would cost as much as the rest of its start.
 */
#ifndef FORGE_WORKER_PAGES_H
#define FORGE_WORKER_PAGES_H

#include <stddef.h>

/* Zeroed, at least `len` bytes, aligned for any type; never NULL. */
void *pages_new(size_t len);
/* NULL is fine. */
void pages_free(void *pages);

#endif
