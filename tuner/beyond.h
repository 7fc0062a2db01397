/*
 * Whether a loop may run on beyond its end, to the next multiple of u iterations: a loop whose end
 * grows with the loop around it, up to a multiple of u. Everything that further iterations read has
 * been or will be read for the longest range, and what they write are places of an array of the
 * same outer iteration that nobody looks at.
 */
#ifndef FORGE_TUNER_BEYOND_H
#define FORGE_TUNER_BEYOND_H

#include <stdint.h>

struct arena;
struct stmt;
struct variant;

/* NULL, or why not, in words for people. The iterations are known to be independent otherwise. */
const char *beyond_trouble(const struct variant *v, const struct stmt *loop, int64_t u,
			   struct arena *a);

#endif
