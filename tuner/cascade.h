/*
 * Sweeps of several steps of time that follow each other over one range. row_cascade.c studies and
 * writes them, cascade_deal.c cuts the range into parts for threads.
 */
#ifndef FORGE_TUNER_CASCADE_H
#define FORGE_TUNER_CASCADE_H

#include <stdint.h>

#include "tuner/fusion.h"

struct expr;
struct kernel;
struct stmt;
struct variant;

enum { SWEEPS_MAX = 6 };

struct cascade {
	struct kernel *k;
	struct variant *v;
	struct stmt *time;
	struct sweep sweeps[SWEEPS_MAX];
	int64_t lo[SWEEPS_MAX]; /* bounds behind those of the first sweep */
	int64_t hi[SWEEPS_MAX];
	int64_t delay[SWEEPS_MAX]; /* behind the front, in the first step of time */
	int64_t period;            /* more delay for each step of time */
	size_t nr;
	long block; /* steps of time in one pass, 0: all */
};

/* The front with the loop over time inside it, for so many steps of time. */
struct stmt *cascade_pass(const struct cascade *c, struct expr *steps);
struct expr *cascade_steps(const struct cascade *c);
/* NULL: `out` became the cascade in parts. Else why not. */
const char *cascade_deal(struct cascade *c, long parts, struct stmt **out);

#endif
