/*
 * What the parts of a search share: campaign.c has its course, campaign_end.c what it tells of what
 * it found.
 */
#ifndef FORGE_TUNER_CAMPAIGN_IN_H
#define FORGE_TUNER_CAMPAIGN_IN_H

#include "tuner/campaign.h"
#include "tuner/moves.h"

struct rng;

enum { COMPILERS = 2, MEMORY_MAX = 1024 };

/* A plan is only taken up when it is better by this. */
#define LEAST_GAIN 1.015
#define DUEL_S 0.35
#define LATER_DUEL_S (3 * DUEL_S)
/* The last one decides about a whole course. */
#define LAST_DUEL_S (4 * DUEL_S)

struct state {
	struct plan plan;
	const char *source;
	double ratio; /* 0: there is none */
};

struct campaign {
	const struct campaign_setup *setup;
	struct ground ground;
	struct state best[COMPILERS]; /* gcc, clang */
	struct state first;           /* the plan of the start; ratio 0: there is none */
	struct state memory[MEMORY_MAX];
	size_t nr_memory;
	const char *phase;
	double started;
};

bool campaign_has_time(const struct campaign *c);
size_t campaign_compiler_of(const struct plan *p);
const struct state *campaign_best(const struct campaign *c);
/* Measures what renders and is new. */
void campaign_try(struct campaign *c, const struct moves *moves);
/* Whether a plan of this compiler that was measured as number `from` or later took the place of the
 * best one. */
bool campaign_adopt(struct campaign *c, size_t compiler, size_t from);
/* Some plans of the best one's compiler that apply, each a few moves from it. */
void campaign_draw(const struct campaign *c, struct rng *rng, struct moves *out);
/* From the best plan by several moves at once, drawn by lot, for as long as there is time: what no
 * single move leads to. Pays where every single move was tried already. */
void campaign_wander(struct campaign *c);
/* The kernel that a plan makes of the reference; NULL: its rows do not all apply. */
const char *campaign_render(const struct campaign *c, const struct plan *p);
/* Plans nearly as good as the best, that differ little from it. */
void campaign_collect_near(const struct campaign *c, struct discovery *out);
/* What each change brings on top of those before it. */
void campaign_climb(struct campaign *c, struct discovery *out);
/* Times the best beside the plan of the start and keeps the ratio in it. */
bool campaign_beats_start(const struct campaign *c, struct measured_plan *best, const char *source);

#endif
