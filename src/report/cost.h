/*
 * What each milestone cost in turns, requests, tokens and money; what no milestone asked for
 * (judge, curriculum, revisions) is one row a role.
 */
#ifndef FORGE_REPORT_COST_H
#define FORGE_REPORT_COST_H

#include <stddef.h>

#include "store/fold.h"

struct page;
struct view;

struct cost_row {
	const char *name; /* "M1", or "teacher" */
	struct state_usage usage;
	unsigned nr_lost; /* attempts that were lost with their session */
};

/* Fills `rows` (room for s->nr_attempts of them) in the order of first turns; returns their number.
 */
size_t cost_rows(const struct run_state *s, struct cost_row *rows);
/* Who has limits of his own: both roles, then the milestones that have turns, in the order of
 * these. Fills `scopes` (room for s->nr_attempts + 2); returns their number. */
size_t cost_scopes(const struct run_state *s, const char **scopes);
/* Where the time went; and usage a milestone, unless all of it is known to be nothing. */
void section_cost(const struct view *v, struct page *p);

#endif
