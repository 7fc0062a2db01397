/*
 * Whether an innermost loop may run in vector lanes: iterations independent up to reductions.
 */
#ifndef FORGE_TUNER_LANES_H
#define FORGE_TUNER_LANES_H

#include <stdbool.h>

struct arena;
struct stmt;
struct view;

struct lanes {
	const char *reductions; /* "reduction(+ : sum)", "" without any */
	bool has_call; /* of a function that has no vector form without further liberties */
	bool is_unit;  /* every subscript moves by one element or not at all */
};

/* NULL and *out, or why not, for people. */
const char *lanes_check(const struct view *view, const struct stmt *loop, struct lanes *out,
			struct arena *a);

#endif
