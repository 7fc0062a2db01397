/*
 * What a teacher may have measured while forge waits for its answer (docs/format/agent-wire.md):
 * what one decision of the best is worth, and what becomes of a source of its own. Both cost a job
 * of the teacher's budget; a call that is refused costs nothing.
 */
#ifndef FORGE_TUNER_TOOLS_H
#define FORGE_TUNER_TOOLS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "tuner/speed.h"

struct str;

struct tools {
	/* Sends a call and waits for its result, which is the caller's. NULL: none came. */
	json_t *(*call)(void *ctx, const json_t *call);
	void *ctx;
	int64_t left; /* jobs that forge still grants */
	bool has_ablate;
	bool has_probe;
};

/* What the turn offers: `data.tools`. */
void tools_read(struct tools *t, const json_t *offer);
/* The best's speed with the decision over its speed without. False: it was not measured, and `why`
 * says so. */
bool tools_ablate(struct tools *t, const char *decision, struct speed *worth, struct str *why);
/* The judge's verdict on a source and its speed over the reference. False: it was not judged. A
 * source that failed has no speed. */
bool tools_probe(struct tools *t, const char *source, struct speed *speed, struct str *why);

#endif
