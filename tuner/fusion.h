/*
 * Loops that stand one behind the other, seen as sweeps over the same range: how far the second
 * must stay behind the first when both run at once. Rows that fuse, cascade and split loops use it.
 */
#ifndef FORGE_TUNER_FUSION_H
#define FORGE_TUNER_FUSION_H

#include <stdbool.h>
#include <stdint.h>

#include "tuner/access.h"
#include "tuner/poly.h"

struct arena;
struct kernel;
struct stmt;
struct variant;

enum { DELAY_MAX = 16 };

struct sweep {
	const struct stmt *loop;
	struct accesses list;
	struct poly lo;
	struct poly hi; /* exclusive */
};

/* NULL, or why the loop can not run together with others. */
const char *sweep_study(struct sweep *s, const struct variant *v, const struct stmt *loop,
			struct arena *a);
/* How much later the second starts and ends. False when that is no number. */
bool sweep_offsets(const struct sweep *first, const struct sweep *second, int64_t *lo, int64_t *hi);
/* NULL when iteration i of `second` may run right behind iteration i + delay of `first`, and all of
 * its earlier ones before that; else why not. */
const char *sweep_follows(const struct sweep *first, const struct sweep *second, int64_t delay,
			  struct arena *a);
/* The least delay for which that is so, up to DELAY_MAX steps; -1: none. */
int64_t sweep_delay(const struct sweep *first, const struct sweep *second, struct arena *a);

/* Gives names declared in `second` another one where they would meet one of the names that the
 * loop `first` or the top of its body declares. */
void sweep_part_names(const struct kernel *k, const struct variant *v, const struct stmt *first,
		      struct stmt *second);
/* Whether any loop stands below. */
bool stmt_has_loop(const struct stmt *s);

#endif
