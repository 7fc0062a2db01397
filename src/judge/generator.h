/*
 * The generators of input data: what each row of model/generators.def means. fill.c reads the
 * parameters, lets `prepare` check what belongs together, and has `make` write values piece by
 * piece as doubles, which it then stores in the argument's dtype.
 */
#ifndef FORGE_JUDGE_GENERATOR_H
#define FORGE_JUDGE_GENERATOR_H

#include <stddef.h>
#include <stdint.h>

#include "model/dtype.h"

struct err;

enum generator_id {
#define GENERATOR(name, params, text) GENERATOR_##name,
#include "model/generators.def"
#undef GENERATOR
	GENERATOR_NR
};

enum { GENERATOR_PARAMS = 3 };

/* What a parameter may be. */
enum domain {
	DOMAIN_ANY,
	DOMAIN_POSITIVE, /* or zero */
	DOMAIN_RATE,     /* 0 to 1 */
	DOMAIN_WHOLE,    /* an integer below 2^53 in magnitude */
	DOMAIN_COUNT,    /* a whole number, at least 1 */
};

struct param {
	const char *name; /* NULL: no more */
	enum domain domain;
	double otherwise; /* NaN: it must be given */
};

/* One filling at work. */
struct filling {
	enum dtype dtype;
	size_t nr;      /* elements */
	size_t row_len; /* innermost row; all elements when the rank is below 2 */
	uint64_t key;   /* stream of values */
	uint64_t pick;  /* stream of places and choices */
	uint64_t seed;  /* for sequential streams */
	double param[GENERATOR_PARAMS];
	const char *skew; /* offsets */
	double *list;     /* choice and specials; owned */
	size_t nr_list;
	int64_t *table; /* nr values made at once, permutation and offsets; owned */
};

struct generator {
	const char *name;
	struct param params[GENERATOR_PARAMS];
	const char *word;              /* name of a parameter that is a word, or NULL */
	const char *list;              /* name of a parameter that is a list, or NULL */
	const char *list_otherwise[4]; /* its default */
	int (*prepare)(struct filling *f, struct err *e); /* NULL: nothing to do */
	void (*make)(const struct filling *f, size_t from, size_t nr, double *out);
};

/* NULL: no such generator. */
const struct generator *generator_find(const char *name);

#endif
