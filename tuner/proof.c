#include "tuner/proof.h"

/* Take two accesses to one array, at iterations v1 != v2. Their subscripts are c*v + rest with the
 * same c. Either the rests differ by less than c*step, however the inner loops run; or, after
 * setting aside what is a multiple of some G in both, the size of c*(v1 - v2) + difference stays
 * strictly between 0 and G; or the two never meet in any iterations. Each means that the subscripts
 * differ. */

#include <string.h>

#include "base/mem.h"
#include "tuner/access.h"
#include "tuner/ir.h"

struct range {
	struct poly low;
	struct poly high; /* inclusive */
};

/* The study of one loop. */
struct proof {
	const struct stmt *loop;
	const char *label;
	int64_t step;
};

static void facts_of_both(const struct access *a, const struct access *b, struct facts *f)
{
	*f = a->facts;
	facts_add_all(f, &b->facts);
}

static struct poly minus_one(const struct poly *p)
{
	struct poly one = poly_number(1);
	return poly_subtract(p, &one);
}

/* The last value of a counter: of one that steps over numbers not just the bound less one. */
static struct poly last_value(const struct access_loop *l)
{
	struct poly span = poly_subtract(&l->hi, &l->lo);
	int64_t step = l->stmt->loop->step;
	int64_t length;
	if (step == 1 || !poly_is_number(&span, &length) || length <= 0)
		return minus_one(&l->hi);
	struct poly way = poly_number((length - 1) / step * step);
	return poly_add(&l->lo, &way);
}

/* One end of slope*counter + rest over the counter's loop. */
static bool replace_end(struct poly *p, const struct access_loop *l, bool is_high,
			const struct facts *f)
{
	struct poly slope;
	struct poly rest;
	if (!poly_split(p, l->stmt->loop->label, &slope, &rest))
		return false;
	struct poly zero = poly_number(0);
	struct poly negative = poly_subtract(&zero, &slope);
	bool is_up = poly_is_nonnegative(&slope, f);
	if (!is_up && !poly_is_nonnegative(&negative, f))
		return false;
	struct poly last = last_value(l);
	*p = poly_replace(p, l->stmt->loop->label, is_up == is_high ? &last : &l->lo);
	return !p->is_unknown;
}

/* Range of p over all loops around the access: innermost first, as its bounds may name the outer
 * ones; the study loop last, for triangular bounds. */
static bool find_range(const struct poly *p, const struct access *x, const struct facts *f,
		       struct range *out)
{
	out->low = out->high = *p;
	for (size_t i = x->nr_loops; i > 0; i--) {
		const struct access_loop *l = &x->loops[i - 1];
		const char *label = l->stmt->loop->label;
		if (poly_uses(&out->low, label) && !replace_end(&out->low, l, false, f))
			return false;
		if (poly_uses(&out->high, label) && !replace_end(&out->high, l, true, f))
			return false;
	}
	return !out->low.is_unknown && !out->high.is_unknown;
}

/* c and rest of one subscript; c must be the same in all iterations. */
static bool split_sub(const struct proof *p, const struct access *x, size_t dim, struct poly *c,
		      struct poly *rest)
{
	if (!poly_split(&x->subs[dim], p->label, c, rest) || c->nr == 0)
		return false;
	for (size_t i = 0; i < x->nr_loops; i++)
		if (poly_uses(c, x->loops[i].stmt->loop->label))
			return false;
	return true;
}

struct pair {
	const struct access *a;
	const struct access *b;
	struct poly c;
	struct poly rest_a;
	struct poly rest_b;
	struct facts facts;
};

/* The largest value of rest_a - rest_b. */
static bool find_width(const struct pair *pr, const struct poly *rest_a, const struct poly *rest_b,
		       struct poly *width)
{
	struct range a;
	struct range b;
	if (!find_range(rest_a, pr->a, &pr->facts, &a) ||
	    !find_range(rest_b, pr->b, &pr->facts, &b))
		return false;
	*width = poly_subtract(&a.high, &b.low);
	return !width->is_unknown;
}

static bool is_less(const struct poly *a, const struct poly *b, const struct facts *f)
{
	struct poly difference = poly_subtract(b, a);
	difference = minus_one(&difference);
	return poly_is_nonnegative(&difference, f);
}

static struct poly stride(const struct proof *p, const struct poly *c)
{
	struct poly step = poly_number(p->step);
	return poly_multiply(c, &step);
}

/* Both differences of the two rests stay below c*step, and below `room` where one is given. One
 * order excludes v1 < v2, the other v1 > v2. */
static bool is_within(const struct proof *p, const struct pair *pr, const struct poly *rest_a,
		      const struct poly *rest_b, const struct poly *room)
{
	struct pair swapped = { .a = pr->b, .b = pr->a, .facts = pr->facts };
	struct poly c = stride(p, &pr->c);
	struct poly width[2];
	if (!find_width(pr, rest_a, rest_b, &width[0]) ||
	    !find_width(&swapped, rest_b, rest_a, &width[1]))
		return false;
	for (size_t i = 0; i < 2; i++)
		if (!is_less(&width[i], &c, &pr->facts) ||
		    (room && !is_less(&width[i], room, &pr->facts)))
			return false;
	return true;
}

/* Second way, for one G: the room that is left for the rests is G - c*(vmax - vmin). */
static bool is_apart_modulo(const struct proof *p, const struct pair *pr, const struct term *g)
{
	struct poly ignored;
	struct poly small_a;
	struct poly small_b;
	poly_divide(&pr->rest_a, g, &ignored, &small_a);
	poly_divide(&pr->rest_b, g, &ignored, &small_b);
	const struct access_loop *study = &pr->a->loops[0];
	struct poly last = minus_one(&study->hi);
	struct poly span = poly_subtract(&last, &study->lo);
	struct poly reach = poly_multiply(&pr->c, &span);
	struct poly room = { .nr = 1, .terms = { *g } };
	room = poly_subtract(&room, &reach);
	return is_within(p, pr, &small_a, &small_b, &room);
}

/* Candidates for G: how far one step of each inner counter goes. */
static bool is_apart(const struct proof *p, const struct pair *pr)
{
	for (size_t i = 1; i < pr->a->nr_loops; i++) {
		struct poly slope;
		struct poly rest;
		if (poly_split(&pr->rest_a, pr->a->loops[i].stmt->loop->label, &slope, &rest) &&
		    slope.nr == 1 && slope.terms[0].factor > 0 &&
		    is_apart_modulo(p, pr, &slope.terms[0]))
			return true;
	}
	return false;
}

/* Third way: everything one access ever touches lies below everything the other does. */
static bool is_elsewhere(const struct access *a, const struct access *b, size_t dim,
			 const struct facts *f)
{
	struct range ra;
	struct range rb;
	if (!find_range(&a->subs[dim], a, f, &ra) || !find_range(&b->subs[dim], b, f, &rb))
		return false;
	return is_less(&ra.high, &rb.low, f) || is_less(&rb.high, &ra.low, f);
}

static bool differs_in(const struct proof *p, const struct access *a, const struct access *b,
		       size_t dim)
{
	struct pair pr = { .a = a, .b = b };
	struct poly c_b;
	facts_of_both(a, b, &pr.facts);
	if (is_elsewhere(a, b, dim, &pr.facts))
		return true;
	if (!split_sub(p, a, dim, &pr.c, &pr.rest_a) || !split_sub(p, b, dim, &c_b, &pr.rest_b) ||
	    !poly_equal(&pr.c, &c_b))
		return false;
	return is_within(p, &pr, &pr.rest_a, &pr.rest_b, NULL) || is_apart(p, &pr);
}

static bool is_pair_apart(const struct proof *p, const struct access *a, const struct access *b)
{
	for (size_t dim = 0; a->nr_subs == b->nr_subs && dim < a->nr_subs; dim++)
		if (differs_in(p, a, b, dim))
			return true;
	return false;
}

static const char *clash(const char *array, struct arena *a)
{
	return arena_printf(a, "two of its iterations may touch one element of %s", array);
}

const char *proof_arrays(const struct accesses *list, const struct stmt *loop, struct arena *a)
{
	struct proof p = { .loop = loop, .label = loop->loop->label, .step = loop->loop->step };
	if (list->trouble)
		return list->trouble;
	for (size_t i = 0; i < list->nr; i++) {
		const struct access *x = list->items[i];
		for (size_t j = 0; x->is_write && j < list->nr; j++) {
			const struct access *y = list->items[j];
			if (strcmp(x->array, y->array) == 0 && !is_pair_apart(&p, x, y))
				return clash(x->array, a);
		}
	}
	return NULL;
}

const char *proof_independent(const struct view *view, const struct stmt *loop, struct arena *a)
{
	struct accesses list;
	accesses_collect(&list, view, loop, a);
	if (list.has_exit)
		return "it may be left early";
	if (list.nr_scalars)
		return "its iterations share a variable that they change";
	return proof_arrays(&list, loop, a);
}

/* c*(i - j) = rest_b - rest_a must not reach c*apart. */
static bool follows_in(const struct access *a, const struct access *b, size_t dim, int64_t apart)
{
	const struct proof of_a = { .label = a->loops[0].stmt->loop->label };
	const struct proof of_b = { .label = b->loops[0].stmt->loop->label };
	struct pair pr = { .a = b, .b = a };
	struct poly c_b;
	struct poly width;
	facts_of_both(a, b, &pr.facts);
	if (is_elsewhere(a, b, dim, &pr.facts))
		return true;
	if (!split_sub(&of_a, a, dim, &pr.c, &pr.rest_b) ||
	    !split_sub(&of_b, b, dim, &c_b, &pr.rest_a) || !poly_equal(&pr.c, &c_b))
		return false;
	struct poly least = minus_one(&pr.c);
	struct poly by = poly_number(apart);
	struct poly reach = poly_multiply(&pr.c, &by);
	return poly_is_nonnegative(&least, &pr.facts) &&
	       find_width(&pr, &pr.rest_a, &pr.rest_b, &width) &&
	       is_less(&width, &reach, &pr.facts);
}

bool proof_follows(const struct access *a, const struct access *b, int64_t apart)
{
	for (size_t dim = 0; a->nr_subs == b->nr_subs && dim < a->nr_subs; dim++)
		if (follows_in(a, b, dim, apart))
			return true;
	return false;
}
