/*
 * From what a campaign found to a course: the rows of the best plan in the order in which they
 * open the way for each other, joined to decisions that make sense alone, then the alternatives
 * that came close. A decision's value may hold several rows, separated by " | ".
 */
#ifndef FORGE_TUNER_COMPOSE_H
#define FORGE_TUNER_COMPOSE_H

#include "model/curriculum.h"

struct draft;
struct discovery;
struct study;

/* Fills M0 and M1 of the draft. */
void compose_course(struct draft *d, const struct study *s, const struct discovery *f);
/* Rows for a later version: what the findings hold and no version had yet. At most `most`.
 * `before`: speed-up over the reference where the search began. */
void compose_more(struct draft *d, const struct study *s, const struct discovery *f, double before,
		  unsigned most);

/* An M0 row without a value: what the reference's own rows settle, or why there is nothing. */
struct decision compose_kept(const struct study *s, const char *topic, const char *why);

#endif
