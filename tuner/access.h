/*
 * What a loop touches: every read and write of an array with its subscript as a polynomial, the
 * outside scalars it changes, and whether there is anything whose effects are not known.
 */
#ifndef FORGE_TUNER_ACCESS_H
#define FORGE_TUNER_ACCESS_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/poly.h"

struct arena;
struct expr;
struct stmt;
struct view;

enum { ACCESS_DIMS = 4, ACCESS_LOOPS = 8 };

/* A loop around an access, with what its counter runs over. */
struct access_loop {
	const struct stmt *stmt;
	struct poly lo;
	struct poly hi;  /* behind the last value, or behind the range where that is not known */
	struct poly cap; /* another such bound, for "up to the smaller of two"; unknown: none */
	bool is_moved;   /* the counter counts from the place of the study loop (proof.c) */
};

struct access {
	const char *array;
	const struct expr *at;
	struct poly subs[ACCESS_DIMS];
	size_t nr_subs;
	bool is_read;
	bool is_write;
	bool is_conditional;                    /* under an if, a ?: or && inside the loop */
	struct access_loop loops[ACCESS_LOOPS]; /* the study loop first */
	size_t nr_loops;
	struct facts facts;
};

struct accesses {
	struct access **items;
	size_t nr;
	size_t cap;
	const char **scalars; /* outside scalars that are changed, each once */
	size_t nr_scalars;
	const char *trouble; /* why not everything is known, for people; NULL: all is known */
	bool has_exit;       /* return, or break out of the loop */
};

/* Accesses to arrays that the loop declares itself are left out. */
void accesses_collect(struct accesses *out, const struct view *view, const struct stmt *loop,
		      struct arena *a);
bool accesses_writes(const struct accesses *list, const char *array);

#endif
