/*
 * Which kernels of a run are faster together than any of them alone: each serves the visible shapes
 * at which it wins, the first of them all other sizes. Read off recorded estimates alone.
 */
#ifndef FORGE_ENGINE_DISPATCH_PLAN_H
#define FORGE_ENGINE_DISPATCH_PLAN_H

#include <stddef.h>

struct arena;
struct run_state;

enum { DISPATCH_MAX_PARTS = 4 };

struct dispatch_plan {
	unsigned rounds[DISPATCH_MAX_PARTS]; /* whose kernels; the first has the best geomean */
	size_t nr;                           /* 0: no combination is worth it */
	double expected;                     /* speed-up over the visible shapes; 0: no plan */
	const char **shapes;                 /* the visible ones; in the arena */
	size_t *part_of;                     /* of each of them */
	size_t nr_shapes;
};

struct dispatch_spec {
	const struct run_state *state;
	double bar;                /* speed-up that has to be passed: the best's */
	const char *const *builds; /* of each round; only equal ones go together. NULL: all do */
};

/* A kernel takes a shape from another one where their intervals do not meet, and joins only where
 * that raises the geometric mean by more than the noise floor, 1 % at least. */
void dispatch_plan_find(const struct dispatch_spec *spec, struct arena *a, struct dispatch_plan *p);

#endif
