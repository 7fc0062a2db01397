/*
 * What the two writers of a team share: what is defined in front of the body (team.c), and what
 * stands in it in the place of the loop (team_call.c).
 */
#ifndef FORGE_TUNER_TEAM_IN_H
#define FORGE_TUNER_TEAM_IN_H

#include <stdbool.h>

#include "tuner/env.h"
#include "tuner/partials.h"
#include "tuner/team.h"

struct stmt;

/* A loop that is dealt out, with the names of what it becomes. */
struct part {
	const struct stmt *loop;
	unsigned chunks;
	const char *function;
	const char *team;
	const char *share;
	const char *first; /* start of a range, and its end in the part */
	const char *last;
	const char *count; /* iterations of the whole range */
	const char *next;  /* chunk that nobody took yet */
	const char *given; /* the share's and a chunk's name at the caller */
	const char *chunk;
	const struct stmt *inner; /* the other loop of a grid; NULL: there is none */
	unsigned rows;            /* pieces of the range of `loop`, and of that of `inner` */
	unsigned columns;
	const char *left; /* as first, last and count, of a column */
	const char *right;
	const char *width;
	struct env env; /* the names the body may use */
	struct partials partials;
	struct part *after;
};

/* Names from outside that a part is given; what is a known number is declared anew inside. */
bool part_takes(const struct team *t, const struct part *p, const struct meaning *name);
/* What is no plain parameter goes through a member without a type. */
bool part_is_untyped(const struct meaning *n);

#endif
