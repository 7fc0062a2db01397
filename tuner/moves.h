/*
 * Moves: plans that differ from a given one by one idea. Structure is found by looking at the loops
 * and strides of the body that costs most and ranked by a model of loads per arithmetic operation;
 * nothing is known about operators. Whether a move is legal is not asked here: what does not render
 * is dropped, what computes something else is refused by measurement.
 */
#ifndef FORGE_TUNER_MOVES_H
#define FORGE_TUNER_MOVES_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/plan.h"

struct arena;
struct tuner_task;

enum { MOVES_MAX = 64 };

struct moves {
	struct plan items[MOVES_MAX];
	size_t nr;
};

/* Where moves come from. */
struct ground {
	const char *source;
	const struct tuner_task *task;
	struct arena *a;           /* for texts of rows */
	const struct strv *banned; /* rows that were refused before; may be NULL */
};

typedef void (*moves_fn)(const struct ground *g, const struct plan *p, struct moves *out);

void moves_canonical(const struct ground *g, const struct plan *p, struct moves *out);
void moves_math(const struct ground *g, const struct plan *p, struct moves *out);
void moves_idioms(const struct ground *g, const struct plan *p, struct moves *out);
void moves_tiles(const struct ground *g, const struct plan *p, struct moves *out);
/* As moves_tiles, from the plan without its tiles. */
void moves_retiles(const struct ground *g, const struct plan *p, struct moves *out);
void moves_rests(const struct ground *g, const struct plan *p, struct moves *out);
void moves_packs(const struct ground *g, const struct plan *p, struct moves *out);
void moves_order(const struct ground *g, const struct plan *p, struct moves *out);
void moves_threads(const struct ground *g, const struct plan *p, struct moves *out);
void moves_numbers(const struct ground *g, const struct plan *p, struct moves *out);
void moves_finish(const struct ground *g, const struct plan *p, struct moves *out);
void moves_builds(const struct ground *g, const struct plan *p, struct moves *out);
void moves_ablation(const struct ground *g, const struct plan *p, struct moves *out);

/* Whether every row of the plan applies. */
bool plan_renders(const struct ground *g, const struct plan *p);
/* The build rows a campaign begins with, gcc first; NULL past the end. */
const char *moves_first_build(size_t at);

#endif
