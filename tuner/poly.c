#include "tuner/poly.h"

/* Terms are few, so everything is a linear search. A sign is shown by moving every symbol with a
 * known least value to zero (n = n' + least) and asking for no negative factor. */

#include <string.h>

struct poly poly_unknown(void)
{
	return (struct poly){ .is_unknown = true };
}

struct poly poly_number(int64_t value)
{
	struct poly p = { .nr = value != 0 };
	p.terms[0].factor = value;
	return p;
}

struct poly poly_name(const char *name)
{
	struct poly p = { .nr = 1 };
	p.terms[0] = (struct term){ .factor = 1, .nr = 1, .names = { name } };
	return p;
}

static bool same_names(const struct term *a, const struct term *b)
{
	if (a->nr != b->nr)
		return false;
	for (unsigned i = 0; i < a->nr; i++)
		if (strcmp(a->names[i], b->names[i]) != 0)
			return false;
	return true;
}

static void drop_term(struct poly *p, unsigned at)
{
	p->terms[at] = p->terms[--p->nr];
}

static void add_term(struct poly *p, const struct term *t)
{
	if (p->is_unknown || t->factor == 0)
		return;
	for (unsigned i = 0; i < p->nr; i++) {
		struct term *own = &p->terms[i];
		if (!same_names(own, t))
			continue;
		p->is_unknown = __builtin_add_overflow(own->factor, t->factor, &own->factor);
		if (own->factor == 0)
			drop_term(p, i);
		return;
	}
	if (p->nr == POLY_TERMS)
		p->is_unknown = true;
	else
		p->terms[p->nr++] = *t;
}

struct poly poly_add(const struct poly *a, const struct poly *b)
{
	struct poly sum = *a;
	sum.is_unknown = a->is_unknown || b->is_unknown;
	for (unsigned i = 0; i < b->nr; i++)
		add_term(&sum, &b->terms[i]);
	return sum;
}

struct poly poly_subtract(const struct poly *a, const struct poly *b)
{
	struct poly minus = poly_number(-1);
	struct poly negative = poly_multiply(b, &minus);
	return poly_add(a, &negative);
}

/* Names merged in order; false when the degree is too high or the factor overflows. */
static bool multiply_terms(const struct term *a, const struct term *b, struct term *out)
{
	unsigned i = 0;
	unsigned j = 0;
	*out = (struct term){ 0 };
	if (a->nr + b->nr > POLY_DEGREE ||
	    __builtin_mul_overflow(a->factor, b->factor, &out->factor))
		return false;
	while (i < a->nr || j < b->nr) {
		bool is_a = j == b->nr || (i < a->nr && strcmp(a->names[i], b->names[j]) <= 0);
		out->names[out->nr++] = is_a ? a->names[i++] : b->names[j++];
	}
	return true;
}

struct poly poly_multiply(const struct poly *a, const struct poly *b)
{
	struct poly product = { .is_unknown = a->is_unknown || b->is_unknown };
	for (unsigned i = 0; i < a->nr; i++) {
		for (unsigned j = 0; j < b->nr; j++) {
			struct term t;
			if (!multiply_terms(&a->terms[i], &b->terms[j], &t))
				return poly_unknown();
			add_term(&product, &t);
		}
	}
	return product;
}

bool poly_is_number(const struct poly *p, int64_t *value)
{
	if (p->is_unknown || p->nr > 1 || (p->nr == 1 && p->terms[0].nr))
		return false;
	*value = p->nr ? p->terms[0].factor : 0;
	return true;
}

static unsigned count_name(const struct term *t, const char *name)
{
	unsigned nr = 0;
	for (unsigned i = 0; i < t->nr; i++)
		nr += strcmp(t->names[i], name) == 0;
	return nr;
}

bool poly_uses(const struct poly *p, const char *name)
{
	for (unsigned i = 0; i < p->nr; i++)
		if (count_name(&p->terms[i], name))
			return true;
	return false;
}

bool poly_equal(const struct poly *a, const struct poly *b)
{
	struct poly d = poly_subtract(a, b);
	return !d.is_unknown && d.nr == 0;
}

static struct term without(const struct term *t, const char *name)
{
	struct term out = { .factor = t->factor };
	bool is_dropped = false;
	for (unsigned i = 0; i < t->nr; i++) {
		if (!is_dropped && strcmp(t->names[i], name) == 0)
			is_dropped = true;
		else
			out.names[out.nr++] = t->names[i];
	}
	return out;
}

bool poly_split(const struct poly *p, const char *name, struct poly *slope, struct poly *rest)
{
	*slope = *rest = poly_number(0);
	if (p->is_unknown)
		return false;
	for (unsigned i = 0; i < p->nr; i++) {
		unsigned power = count_name(&p->terms[i], name);
		struct term t = without(&p->terms[i], name);
		if (power > 1)
			return false;
		add_term(power ? slope : rest, &t);
	}
	return true;
}

static struct poly replace_in_term(const struct term *t, const char *name, const struct poly *by)
{
	struct poly part = { .nr = 1, .terms = { *t } };
	unsigned power = count_name(t, name);
	for (unsigned i = 0; i < power; i++)
		part.terms[0] = without(&part.terms[0], name);
	for (unsigned i = 0; i < power; i++)
		part = poly_multiply(&part, by);
	return part;
}

struct poly poly_replace(const struct poly *p, const char *name, const struct poly *by)
{
	struct poly out = { .is_unknown = p->is_unknown };
	for (unsigned i = 0; i < p->nr; i++) {
		struct poly part = replace_in_term(&p->terms[i], name, by);
		out = poly_add(&out, &part);
	}
	return out;
}

static bool divides(const struct term *divisor, const struct term *t)
{
	if (t->factor % divisor->factor)
		return false;
	for (unsigned i = 0; i < divisor->nr; i++)
		if (count_name(t, divisor->names[i]) < count_name(divisor, divisor->names[i]))
			return false;
	return true;
}

void poly_divide(const struct poly *p, const struct term *divisor, struct poly *multiple,
		 struct poly *rest)
{
	*multiple = *rest = (struct poly){ .is_unknown = p->is_unknown };
	for (unsigned i = 0; i < p->nr; i++)
		add_term(divides(divisor, &p->terms[i]) ? multiple : rest, &p->terms[i]);
}

static const struct fact *find_fact(const struct facts *f, const char *name)
{
	for (size_t i = 0; i < f->nr; i++)
		if (strcmp(f->items[i].name, name) == 0)
			return &f->items[i];
	return NULL;
}

static bool is_shown(const struct poly *p, const struct facts *f)
{
	for (unsigned i = 0; i < p->nr; i++) {
		if (p->terms[i].factor < 0)
			return false;
		for (unsigned n = 0; n < p->terms[i].nr; n++)
			if (!find_fact(f, p->terms[i].names[n]))
				return false;
	}
	return true;
}

bool poly_is_nonnegative(const struct poly *p, const struct facts *f)
{
	struct poly moved = *p;
	for (size_t i = 0; i < f->nr; i++) {
		if (!f->items[i].least)
			continue;
		struct poly name = poly_name(f->items[i].name);
		struct poly least = poly_number(f->items[i].least);
		struct poly by = poly_add(&name, &least);
		moved = poly_replace(&moved, f->items[i].name, &by);
	}
	return !moved.is_unknown && is_shown(&moved, f);
}

void facts_add(struct facts *f, const char *name, int64_t least)
{
	for (size_t i = 0; i < f->nr; i++) {
		if (strcmp(f->items[i].name, name) != 0)
			continue;
		if (least > f->items[i].least)
			f->items[i].least = least;
		return;
	}
	if (f->nr < FACTS_MAX)
		f->items[f->nr++] = (struct fact){ name, least };
}

void facts_add_all(struct facts *f, const struct facts *more)
{
	for (size_t i = 0; i < more->nr; i++)
		facts_add(f, more->items[i].name, more->items[i].least);
}
