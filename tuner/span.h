/*
 * Between which numbers a polynomial stays while the loops around a place run.
 */
#ifndef FORGE_TUNER_SPAN_H
#define FORGE_TUNER_SPAN_H

#include <stdbool.h>
#include <stdint.h>

struct env;
struct poly;
struct stmt;
struct variant;

struct span {
	int64_t least;
	int64_t most;
};

/* `around` is the innermost loop around the place, NULL for none. False: not known. Loops are taken
 * to run: where one does not, nothing is said. */
bool span_find(struct span *out, const struct poly *p, struct env *env, const struct variant *v,
	       struct stmt *around);

#endif
