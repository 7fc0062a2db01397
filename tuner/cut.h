/*
 * Cutting a loop into strips of u iterations: the loop steps over u of them at once, a strip counts
 * 0 .. u-1 inside, and what does not fill a strip runs in a copy of the loop behind it, or in a
 * strip that runs some iterations again.
 */
#ifndef FORGE_TUNER_CUT_H
#define FORGE_TUNER_CUT_H

#include <stdint.h>

#include "tuner/ir.h"

struct kernel;
struct variant;

struct cut {
	struct kernel *k;
	struct variant *v;
	const struct stmt *loop; /* in the body, until cut_commit */
	struct stmt *main;       /* the copy of it that steps over strips */
	struct stmt *rest;       /* NULL: every strip is full */
	const char *var;         /* counts within a strip */
	int64_t u;
	unsigned nr_strips;
};

/* NULL, or why the loop can not be cut. The body is not changed yet. */
const char *cut_open(struct cut *c, struct kernel *k, struct variant *v, const struct stmt *loop,
		     int64_t u);
/* In the body of main the loop's counter stands for the strip's first iteration from now on: its
 * uses become counter + var. */
void cut_shift(struct cut *c);
/* Once main is as it shall be: where the number of iterations is known, what does not fill a strip
 * runs in one more strip like those of main, which ends with the loop and begins among iterations
 * that main has run. */
void cut_overlap(struct cut *c);
/* Once main is as it shall be: what does not fill a strip runs in a full one, beyond the end
 * (beyond.h). */
void cut_beyond(struct cut *c);
/* Gives the variables of a copy of a part of main names of their own. */
void cut_rename(const struct cut *c, struct stmt *copy);
/* A new strip loop with nothing in it. */
struct stmt *cut_strip(struct cut *c, enum loop_role role);
/* Puts the statements of `before`, main, rest and the statements of `after` in the loop's place;
 * both blocks may be NULL. */
void cut_commit(const struct cut *c, const struct stmt *before, const struct stmt *after);

#endif
