/*
 * The next version of a curriculum by what was measured of the one before: a row that does not pay
 * goes, one that was refuted makes room for an alternative, and all others stay as they are, so
 * that forge keeps the work in front of the first change.
 */
#ifndef FORGE_TUNER_REVISE_H
#define FORGE_TUNER_REVISE_H

#include <jansson.h>
#include <stdbool.h>

struct curriculum;
struct draft;
struct others;
struct prices;
struct strv;

struct evidence {
	const struct curriculum *old;
	const json_t *digest;
	const struct prices *prices;
	const struct others *others;
};

/* Fills the draft, counts version and epoch up and notes every value as tried. True when the new
 * version is worth its rounds: rows are left that were not tried yet, one was replaced, or one went
 * that cost speed. */
bool revise_rows(struct draft *d, const struct evidence *v);
/* Adds the rows that the judge refused or that did not apply to those that the draft knows of; of a
 * decision with several rows all but the first. */
void revise_refused(struct draft *d, const struct evidence *v);
/* Values of the rows that were applied and speak for themselves, in the order of their rounds. */
void revise_held(struct strv *out, const struct evidence *v);

#endif
