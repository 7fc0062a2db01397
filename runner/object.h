/*
 * The one object a runner loads.
 */
#ifndef FORGE_RUNNER_OBJECT_H
#define FORGE_RUNNER_OBJECT_H

struct doorbell_reply;

typedef void (*entry_fn)(void *const *args);

/* Refuses an object with code that would run at load time, then loads it and finds forge_entry.
 * Does not come back on failure. */
entry_fn object_load(const char *path, struct doorbell_reply *reply);

#endif
