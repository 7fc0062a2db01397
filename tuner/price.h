/*
 * What decisions of the best are worth. The record of a course leaves doubts: a screen that could
 * not tell before from after, a prediction that did not come true. Ablations settle them; each
 * costs a job, so only the most doubtful rows are priced.
 */
#ifndef FORGE_TUNER_PRICE_H
#define FORGE_TUNER_PRICE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "tuner/speed.h"

struct arena;
struct curriculum;
struct say;
struct strv;
struct tools;

enum { PRICES_MAX = 4 };

struct price {
	const char *id;
	struct speed worth; /* the best's speed with the row over its speed without */
};

struct prices {
	struct price items[PRICES_MAX];
	size_t nr;
};

struct price_spec {
	const struct curriculum *old;
	const json_t *digest;
	const struct strv *known; /* values that were priced before and paid */
	struct tools *tools;      /* NULL: there are none, so nothing gets a price */
	const struct say *say;
};

/* Asks for at most half of the jobs that are left, so that a later entry has some, too. Texts live
 * in the curriculum. */
void price_rows(struct prices *out, const struct price_spec *spec, struct arena *a);
const struct price *price_find(const struct prices *p, const char *id);
/* Whether the row earns its place: the best is faster with it, or seems to be by more than forge's
 * least gain. */
bool price_pays(const struct price *p);
/* The best is faster without it, whatever the noise. */
bool price_costs(const struct price *p);

#endif
