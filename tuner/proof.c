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

static bool uses_counter(const struct access *x, const struct poly *p)
{
	for (size_t i = 0; i < x->nr_loops; i++)
		if (poly_uses(p, x->loops[i].stmt->loop->label))
			return true;
	return false;
}

/* What ranges are asked for: near, as wide as a moved strip by itself; else as all of it goes. */
struct span {
	const struct access *x;
	const struct facts *f;
	bool is_near;
};

/* Of two ends, which both hold, the one that helps: the fixed one, but for the whole range of a
 * moved strip the one that tells how the strip ends with the loop around it. */
static struct poly last_of(const struct span *s, const struct access_loop *l)
{
	bool wants_tied = l->is_moved && !s->is_near;
	if (l->cap.is_unknown || uses_counter(s->x, &l->hi) == wants_tied)
		return last_value(l);
	return minus_one(&l->cap);
}

/* One end of slope*counter + rest over the counter's loop. */
static bool replace_end(const struct span *s, struct poly *p, const struct access_loop *l,
			bool is_high)
{
	struct poly slope;
	struct poly rest;
	if (!poly_split(p, l->stmt->loop->label, &slope, &rest))
		return false;
	struct poly zero = poly_number(0);
	struct poly negative = poly_subtract(&zero, &slope);
	bool is_up = poly_is_nonnegative(&slope, s->f);
	if (!is_up && !poly_is_nonnegative(&negative, s->f))
		return false;
	struct poly last = last_of(s, l);
	*p = poly_replace(p, l->stmt->loop->label, is_up == is_high ? &last : &l->lo);
	return !p->is_unknown;
}

/* Range of p over all loops around the access: innermost first, as its bounds may name the outer
 * ones; the study loop last, for triangular bounds. */
static bool find_range(const struct poly *p, const struct span *s, struct range *out)
{
	out->low = out->high = *p;
	for (size_t i = s->x->nr_loops; i > 0; i--) {
		const struct access_loop *l = &s->x->loops[i - 1];
		const char *label = l->stmt->loop->label;
		if (poly_uses(&out->low, label) && !replace_end(s, &out->low, l, false))
			return false;
		if (poly_uses(&out->high, label) && !replace_end(s, &out->high, l, true))
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
	bool is_near;
};

/* The largest value of rest_a - rest_b. */
static bool find_width(const struct pair *pr, const struct poly *rest_a, const struct poly *rest_b,
		       struct poly *width)
{
	struct range a;
	struct range b;
	if (!find_range(rest_a, &(struct span){ pr->a, &pr->facts, pr->is_near }, &a) ||
	    !find_range(rest_b, &(struct span){ pr->b, &pr->facts, pr->is_near }, &b))
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

/* Both differences of the two stay below `room`. One order excludes v1 < v2, the other v1 > v2. */
static bool is_within(const struct pair *pr, const struct poly *rest_a, const struct poly *rest_b,
		      const struct poly *room)
{
	struct pair swapped = {
		.a = pr->b, .b = pr->a, .facts = pr->facts, .is_near = pr->is_near
	};
	struct poly width[2];
	return find_width(pr, rest_a, rest_b, &width[0]) &&
	       find_width(&swapped, rest_b, rest_a, &width[1]) &&
	       is_less(&width[0], room, &pr->facts) && is_less(&width[1], room, &pr->facts);
}

/* The rests differ by less than what one step of the study loop goes. */
static bool is_within_step(const struct proof *p, struct pair *pr, const struct poly *rest_a,
			   const struct poly *rest_b)
{
	struct poly room = stride(p, &pr->c);
	pr->is_near = true;
	bool is_proved = is_within(pr, rest_a, rest_b, &room);
	pr->is_near = false;
	return is_proved || is_within(pr, rest_a, rest_b, &room);
}

/* Second way, for one G: what is left of both subscripts differs, and by less than G. */
static bool is_apart_modulo(const struct proof *p, struct pair *pr, const struct term *g)
{
	struct poly ignored;
	struct poly small_a;
	struct poly small_b;
	struct poly room = { .nr = 1, .terms = { *g } };
	struct poly v = poly_name(p->label);
	struct poly way = poly_multiply(&pr->c, &v);
	poly_divide(&pr->rest_a, g, &ignored, &small_a);
	poly_divide(&pr->rest_b, g, &ignored, &small_b);
	struct poly whole_a = poly_add(&way, &small_a);
	struct poly whole_b = poly_add(&way, &small_b);
	return is_within_step(p, pr, &small_a, &small_b) &&
	       is_within(pr, &whole_a, &whole_b, &room);
}

/* Candidates for G: how far one step of each inner counter goes. */
static bool is_apart(const struct proof *p, struct pair *pr)
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
	if (!find_range(&a->subs[dim], &(struct span){ .x = a, .f = f }, &ra) ||
	    !find_range(&b->subs[dim], &(struct span){ .x = b, .f = f }, &rb))
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
	return is_within_step(p, &pr, &pr.rest_a, &pr.rest_b) || is_apart(p, &pr);
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

static void move_one(struct access *x, size_t at, const struct poly *by)
{
	struct access_loop *l = &x->loops[at];
	const char *label = l->stmt->loop->label;
	struct poly name = poly_name(label);
	struct poly moved = poly_add(&name, by);
	for (size_t d = 0; d < x->nr_subs; d++)
		x->subs[d] = poly_replace(&x->subs[d], label, &moved);
	for (size_t i = at + 1; i < x->nr_loops; i++) {
		x->loops[i].lo = poly_replace(&x->loops[i].lo, label, &moved);
		x->loops[i].hi = poly_replace(&x->loops[i].hi, label, &moved);
		x->loops[i].cap = poly_replace(&x->loops[i].cap, label, &moved);
	}
	l->hi = poly_subtract(&l->hi, by);
	l->cap = poly_subtract(&l->cap, by);
	l->lo = poly_number(0);
	l->is_moved = true;
}

/* Counters that start where the study loop is count from there: then its own share of a subscript
 * shows. A copy where one does, else the access itself. */
static const struct access *move_to_study(const struct access *x, const char *label,
					  struct arena *a)
{
	struct access *moved = NULL;
	for (size_t i = 1; i < x->nr_loops; i++) {
		const struct access_loop *l = moved ? &moved->loops[i] : &x->loops[i];
		struct poly by = l->lo;
		if (by.is_unknown || !poly_uses(&by, label))
			continue;
		if (!moved) {
			moved = arena_alloc(a, sizeof(*moved));
			*moved = *x;
		}
		move_one(moved, i, &by);
	}
	return moved ? moved : x;
}

static const struct access **move_all(const struct accesses *list, const char *label,
				      struct arena *a)
{
	const struct access **moved = arena_array(a, list->nr + 1, sizeof(*moved));
	for (size_t i = 0; i < list->nr; i++)
		moved[i] = move_to_study(list->items[i], label, a);
	return moved;
}

const char *proof_arrays(const struct accesses *list, const struct stmt *loop, struct arena *a)
{
	struct proof p = { .loop = loop, .label = loop->loop->label, .step = loop->loop->step };
	if (list->trouble)
		return list->trouble;
	const struct access **moved = move_all(list, p.label, a);
	for (size_t i = 0; i < list->nr; i++) {
		const struct access *x = list->items[i];
		for (size_t j = 0; x->is_write && j < list->nr; j++) {
			const struct access *y = list->items[j];
			if (strcmp(x->array, y->array) == 0 && !is_pair_apart(&p, x, y) &&
			    !is_pair_apart(&p, moved[i], moved[j]))
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
		return "its iterations all change one variable";
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

bool proof_reach(const struct access *x, int64_t *slope, int64_t *low, int64_t *high)
{
	const struct proof p = { .label = x->loops[0].stmt->loop->label };
	struct poly c;
	struct poly rest;
	struct range range;
	return x->nr_subs == 1 && split_sub(&p, x, 0, &c, &rest) && poly_is_number(&c, slope) &&
	       find_range(&rest, &(struct span){ .x = x, .f = &x->facts }, &range) &&
	       poly_is_number(&range.low, low) && poly_is_number(&range.high, high);
}
