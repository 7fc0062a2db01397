/*
 * What became of the rows of a curriculum, as the digest tells it (docs/format/teacher-digest.md).
 */
#ifndef FORGE_TUNER_SEEN_H
#define FORGE_TUNER_SEEN_H

#include <jansson.h>
#include <stdbool.h>

#include "tuner/speed.h"

/* One row. What the digest does not know of is pending. */
struct seen {
	const char *fate;
	unsigned round;      /* 0: none */
	struct speed before; /* of the kernel that the row was applied to */
	struct speed after;
};

struct seen seen_find(const json_t *digest, const char *id);
bool seen_is_pending(const struct seen *s);
/* The judge refused it, or there was no kernel to judge. */
bool seen_is_refused(const struct seen *s);
/* Its kernel went on to be what later rows were applied to. */
bool seen_is_kept(const struct seen *s);
bool seen_is_slower(const struct seen *s);
/* Whether the diagnosis names the row. */
bool seen_is_questioned(const json_t *digest, const char *id);

#endif
