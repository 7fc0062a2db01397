/*
 * Which rows of a curriculum the measurements support: the others are left out of the next version,
 * or, where M0 must say something about their topic, say what happened.
 */
#ifndef FORGE_TUNER_REVISE_H
#define FORGE_TUNER_REVISE_H

#include <jansson.h>
#include <stdbool.h>

struct curriculum;
struct draft;
struct strv;

/* Fills the draft with what stays, counts version and epoch up and notes every value as tried.
 * True when rows are left that were not tried yet. */
bool revise_rows(struct draft *d, const struct curriculum *old, const json_t *digest);
/* Rows that the judge refused or that did not apply; of a decision with several rows all but the
 * first. */
void revise_refused(struct strv *out, const struct curriculum *old, const json_t *digest);

#endif
