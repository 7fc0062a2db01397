/*
 * What an agent tells to go on from, should forge die in the middle of its turn (agent-wire.md,
 * "Going on"): a file of JSON objects, one a line, each durable before what came with it is acted
 * on. Best effort: without it, or with a part of it, the turn is asked afresh.
 */
#ifndef FORGE_AGENT_MEMORY_H
#define FORGE_AGENT_MEMORY_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct memory {
	const char *path; /* NULL: nothing is kept */
	int fd;           /* -1: nothing was told yet */
	size_t bytes;
	bool is_lost; /* a part of it is */
};

/* `goes_on`: behind what is there; else what is there goes. `path` (or NULL) is borrowed. */
void memory_open(struct memory *m, const char *path, bool goes_on);
void memory_add(struct memory *m, const json_t *item);
void memory_close(struct memory *m);

/* All that was told, in order: a new reference. NULL: there is none, or too much. */
json_t *memory_load(const char *path);
/* The newest text of this name, or NULL; borrowed. */
const char *memory_text(const json_t *memory, const char *key);

#endif
