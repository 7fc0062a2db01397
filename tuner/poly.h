/*
 * Polynomials with integer coefficients over named symbols: what subscripts and loop bounds are
 * made of. A value type; anything that does not fit (too many terms, too high a degree, overflow)
 * becomes "unknown", and unknown stays unknown.
 */
#ifndef FORGE_TUNER_POLY_H
#define FORGE_TUNER_POLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { POLY_DEGREE = 6, POLY_TERMS = 24, FACTS_MAX = 32 };

struct term {
	int64_t factor;
	unsigned nr;
	const char *names[POLY_DEGREE]; /* sorted; borrowed */
};

struct poly {
	bool is_unknown;
	unsigned nr;
	struct term terms[POLY_TERMS]; /* no two with the same names, none with factor 0 */
};

/* What is known about symbols: value >= least. Others may be anything. */
struct fact {
	const char *name;
	int64_t least;
};
struct facts {
	struct fact items[FACTS_MAX];
	size_t nr;
};

struct poly poly_number(int64_t value);
struct poly poly_name(const char *name);
struct poly poly_unknown(void);
struct poly poly_add(const struct poly *a, const struct poly *b);
struct poly poly_subtract(const struct poly *a, const struct poly *b);
struct poly poly_multiply(const struct poly *a, const struct poly *b);
bool poly_is_number(const struct poly *p, int64_t *value);
bool poly_uses(const struct poly *p, const char *name);
bool poly_equal(const struct poly *a, const struct poly *b);
/* p = slope * name + rest. False when p is unknown or not linear in the name. */
bool poly_split(const struct poly *p, const char *name, struct poly *slope, struct poly *rest);
struct poly poly_replace(const struct poly *p, const char *name, const struct poly *by);
/* p = a multiple of the one-term `divisor` + the terms that are none. */
void poly_divide(const struct poly *p, const struct term *divisor, struct poly *multiple,
		 struct poly *rest);
/* Provably >= 0 under the facts. False means "not shown". */
bool poly_is_nonnegative(const struct poly *p, const struct facts *f);

/* Keeps the larger of two facts about one name; a full table forgets the new one. */
void facts_add(struct facts *f, const char *name, int64_t least);
void facts_add_all(struct facts *f, const struct facts *more);

#endif
