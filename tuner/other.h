/*
 * What may take the place of a row that was refuted: another row of the same kind for the same
 * loop, with other parameters, that no version had yet.
 */
#ifndef FORGE_TUNER_OTHER_H
#define FORGE_TUNER_OTHER_H

#include <stdbool.h>

#include "base/str.h"

struct arena;
struct decision;
struct discovery;
struct draft;
struct proposals;
struct say;
struct study;
struct tools;

struct others {
	const struct study *s;
	const struct discovery *found; /* of the lab; NULL: it found nothing, or there is none */
	const struct proposals *list;  /* from the source alone */
	struct strv held;              /* values of the rows that stay, in order */
	struct tools *tools;           /* to have a proposal judged before it is made; or NULL */
	const struct say *say;
};

/* `out` has the refuted row's id, topic and needs. `is_wrong`: the judge refused the row, so what
 * builds on it is no way out. */
bool other_find(const struct others *o, const struct draft *d, const struct decision *row,
		bool is_wrong, struct decision *out);
/* Whether a build allows itself all that one allows itself which the judge refused. */
bool other_is_hopeless(const struct strv *refused, const char *value, struct arena *a);

#endif
