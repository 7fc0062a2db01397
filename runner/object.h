/*
 * The one object a runner loads.
 */
#ifndef FORGE_RUNNER_OBJECT_H
#define FORGE_RUNNER_OBJECT_H

#include "sys/doorbell.h"

typedef void (*entry_fn)(void *const *args);

/* The copies of the kernel, [0] is forge_entry. */
struct object {
	entry_fn entries[DOORBELL_MAX_COPIES];
	uint32_t nr;
};

/* Refuses an object with code that would run at load time, then loads it and finds forge_entry and
 * what follows it: forge_entry1, forge_entry2 ... Does not come back on failure. */
void object_load(struct object *o, const char *path, struct doorbell_reply *reply);
/* The same for a host object that nvcc compiled: one function may run at load time. Which one it is
 * the worker's screens have seen. */
void object_load_registered(struct object *o, const char *path, struct doorbell_reply *reply);

#endif
