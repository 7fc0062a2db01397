#include "tuner/span.h"

/* Names leave the polynomial one by one for the ends of what they run over, the inner ones first,
 * since their bounds may name the outer ones. */

#include <string.h>

#include "base/mem.h"
#include "tuner/env.h"
#include "tuner/ir.h"
#include "tuner/kernel.h"
#include "tuner/poly.h"
#include "tuner/rewrite.h"
#include "tuner/walk.h"

struct place_of {
	struct env *env;
	const struct variant *v;
	struct stmt *around;
};

struct ends {
	struct poly least;
	struct poly most;
};

/* A name between two values leaves both ends. */
static bool leave_name(struct ends *s, const char *name, const struct poly *lo,
		       const struct poly *hi)
{
	struct poly slope;
	struct poly rest;
	int64_t by;
	if (!poly_split(&s->least, name, &slope, &rest) || !poly_is_number(&slope, &by))
		return false;
	s->least = poly_replace(&s->least, name, by < 0 ? hi : lo);
	if (!poly_split(&s->most, name, &slope, &rest) || !poly_is_number(&slope, &by))
		return false;
	s->most = poly_replace(&s->most, name, by < 0 ? lo : hi);
	return true;
}

static bool leave_counter(const struct place_of *p, const struct loop *l, struct ends *s)
{
	struct poly one = poly_number(1);
	struct poly lo = env_poly(p->env, l->lo);
	struct poly hi = env_poly(p->env, l->hi);
	struct poly last = poly_subtract(&hi, &one);
	return leave_name(s, l->label, &lo, &last);
}

/* All counters around the copy; then both ends are numbers. */
static bool leave_counters(const struct place_of *p, struct ends *s, int64_t *least, int64_t *most)
{
	struct stmt *l = p->around;
	for (; l; l = loop_around(p->v->body, l))
		if (!leave_counter(p, l->loop, s))
			return false;
	return poly_is_number(&s->least, least) && poly_is_number(&s->most, most);
}

/* A local that is set once, to a quotient of what does not go below zero. */
static bool leave_quotient(const struct place_of *p, const char *name, struct ends *s)
{
	const struct meaning *m = env_find(p->env, name);
	const struct expr *e = m && m->decl ? m->decl->init : NULL;
	int64_t by;
	int64_t least;
	int64_t most;
	if (!e || e->kind != EXPR_BINARY || strcmp(e->text, "/") != 0 ||
	    stmt_changes(p->v->body, name))
		return false;
	struct poly above = env_poly(p->env, e->items[0]);
	struct poly below = env_poly(p->env, e->items[1]);
	struct ends q = { above, above };
	if (!poly_is_number(&below, &by) || by < 1 || !leave_counters(p, &q, &least, &most) ||
	    least < 0)
		return false;
	struct poly lo = poly_number(least / by);
	struct poly hi = poly_number(most / by);
	return leave_name(s, name, &lo, &hi);
}

static void leave_locals(const struct place_of *p, struct ends *s)
{
	struct poly all = s->most;
	for (unsigned i = 0; i < all.nr; i++)
		if (all.terms[i].nr == 1)
			leave_quotient(p, all.terms[i].names[0], s);
}

bool span_find(struct span *out, const struct poly *p, struct env *env, const struct variant *v,
	       struct stmt *around)
{
	const struct place_of place = { env, v, around };
	struct ends s = { *p, *p };
	leave_locals(&place, &s);
	return leave_counters(&place, &s, &out->least, &out->most);
}
