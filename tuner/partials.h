/*
 * Scalars that a dealt loop may carry: reductions, of which every chunk of the range makes a
 * partial result that is combined afterwards in the order of the chunks. A choice ("if (x > best) {
 * best = x; where = i; }") takes along what it sets with the best: combined in order the first of
 * equals wins, as in one piece.
 */
#ifndef FORGE_TUNER_PARTIALS_H
#define FORGE_TUNER_PARTIALS_H

#include <stddef.h>

struct accesses;
struct arena;
struct stmt;
struct variant;

enum { PARTIALS_MAX = 16 };

struct partial {
	const char *name;
	const char *type;
	const char *op;   /* "+", "*", "max", "min"; NULL: goes with the one before it */
	const char *slot; /* the writer's name for what a chunk leaves */
};

struct partials {
	struct partial items[PARTIALS_MAX];
	size_t nr;
};

/* NULL: every scalar that the loop changes is one. Else why not, in words for people. */
const char *partials_find(struct partials *out, const struct variant *v, const struct stmt *loop,
			  const struct accesses *list, struct arena *a);

#endif
