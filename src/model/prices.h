/*
 * What tokens cost: the price table (docs/format/prices.md). It comes with the programs as
 * share/prices.tsv; rows of the user's own file go before it. Pure: the caller tells the date.
 */
#ifndef FORGE_MODEL_PRICES_H
#define FORGE_MODEL_PRICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"

struct err;
struct usage;

enum price_kind {
	PRICE_INPUT,
	PRICE_CACHE_READ,
	PRICE_WRITE_5M,
	PRICE_WRITE_1H,
	PRICE_OUTPUT,
	PRICE_NR
};

struct price_row {
	const char *from; /* "2026-10-07": in force from this day on */
	const char *provider;
	const char *model;    /* prefix of the model's name; "*": any model of the provider */
	uint64_t min_prompt;  /* tokens of the whole prompt from which the row is right */
	double usd[PRICE_NR]; /* for 1e6 tokens; negative: not known */
	bool is_own;          /* of the user's file */
};

struct prices {
	struct arena arena;
	struct price_row *rows;
	size_t nr;
	size_t cap;
	const char *date;     /* of the table that comes along; NULL: none was read */
	const char *own_date; /* of the user's; NULL: there is none */
	const char *text;     /* both: "2026-11-30, own prices of 2026-12-01" */
};

/* Add the rows of one text; `name` stands in messages. */
int prices_parse(struct prices *p, const char *text, const char *name, bool is_own, struct err *e);
int prices_load(struct prices *p, const char *path, bool is_own, struct err *e);
void prices_release(struct prices *p);
#define AUTO_PRICES __attribute__((cleanup(prices_release)))

/* Who answered a request, and when. */
struct price_query {
	const char *provider; /* NULL: not told */
	const char *model;    /* NULL: not told */
	const char *date;     /* "2026-11-30", or longer: a wall time that starts like that */
};

/* Set dollars and basis of what was used without telling any. A model that the table does not hold
 * stays unknown. The tier goes by one request's prompt: what sums up more of them is taken at the
 * dearest tier that it may have reached, as partial. */
void prices_apply(const struct prices *p, const struct price_query *q, struct usage *u);

#endif
