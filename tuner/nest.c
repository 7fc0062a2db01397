#include "tuner/nest.h"

/* Lengths are estimates: a bound that depends on an outer counter is taken at the middle of its
 * range, one that depends on data is taken as UNKNOWN_TRIPS where a product needs a number. */

#include <string.h>

#include "base/str.h"
#include "tuner/ir.h"
#include "tuner/kernel.h"
#include "tuner/lanes.h"
#include "tuner/proof.h"
#include "tuner/walk.h"

enum { LOOPS_MAX = 64, UNKNOWN_TRIPS = 16 };

struct middle {
	const char *label;
	double value;
};

/* One walk over one body. */
struct survey {
	struct nest *nest;
	const struct variant *v;
	struct arena *a;
	struct middle middles[LOOPS_MAX];
	size_t nr_middles;
	bool is_largest;
};

bool label_is_inside(const char *inner, const char *outer)
{
	size_t len = strlen(outer);
	return strncmp(inner, outer, len) == 0 && inner[len] == '.';
}

static const double *find_middle(const struct survey *s, const char *label)
{
	for (size_t i = s->nr_middles; i > 0; i--)
		if (strcmp(s->middles[i - 1].label, label) == 0)
			return &s->middles[i - 1].value;
	return NULL;
}

static bool estimate(const struct survey *s, const struct poly *p, double *out)
{
	*out = 0;
	for (unsigned i = 0; i < p->nr; i++) {
		double product = (double)p->terms[i].factor;
		for (unsigned n = 0; n < p->terms[i].nr; n++) {
			const double *value = find_middle(s, p->terms[i].names[n]);
			if (!value)
				return false;
			product *= *value;
		}
		*out += product;
	}
	return !p->is_unknown;
}

/* Iterations of the loop here, 0 when they are not known; notes the middle of its range. */
static double find_trips(struct survey *s, const struct stmt *loop)
{
	AUTO_FREE struct env *env = xmalloc(sizeof(*env));
	double lo = 0;
	double hi = 0;
	bool is_known = env_open(env, &s->v->view, loop, s->a);
	if (is_known) {
		struct poly low = env_poly(env, loop->loop->lo);
		struct poly high = env_poly(env, loop->loop->hi);
		is_known = estimate(s, &low, &lo) && estimate(s, &high, &hi) && hi > lo;
	}
	if (!is_known)
		hi = lo + UNKNOWN_TRIPS;
	if (s->nr_middles < LOOPS_MAX)
		s->middles[s->nr_middles++] = (struct middle){ loop->loop->label, (lo + hi) / 2 };
	return is_known ? (hi - lo) / (double)loop->loop->step : 0;
}

static struct nest_loop *find_loop(struct nest *n, const char *label)
{
	for (size_t i = 0; i < n->nr; i++)
		if (strcmp(n->items[i].label, label) == 0)
			return &n->items[i];
	return NULL;
}

static bool see_loop(void *ctx, const struct stmt *s)
{
	bool *is_found = ctx;
	*is_found = *is_found || s->kind == STMT_LOOP || s->kind == STMT_FOR ||
		    s->kind == STMT_WHILE || s->kind == STMT_DO;
	return !*is_found;
}

static bool has_inner_loop(const struct stmt *s)
{
	bool is_found = false;
	for (size_t i = 0; i < s->nr; i++)
		walk_stmt(&(struct walk){ &is_found, NULL, see_loop }, s->items[i]);
	return is_found;
}

static bool has_bound_with(const struct stmt *s, const char *var)
{
	if (s->loop && (expr_uses(s->loop->hi, var) || expr_uses(s->loop->lo, var)))
		return true;
	for (size_t i = 0; i < s->nr; i++)
		if (has_bound_with(s->items[i], var))
			return true;
	return false;
}

static void describe(struct survey *s, struct nest_loop *l, const struct stmt *loop)
{
	struct lanes lanes = { 0 };
	l->is_innermost = !has_inner_loop(loop);
	l->shared = proof_independent(&s->v->view, loop, s->a);
	for (size_t i = 0; i < loop->nr; i++)
		l->is_triangular =
			l->is_triangular || has_bound_with(loop->items[i], loop->loop->var);
	l->lanes = "it holds another loop";
	if (l->is_innermost)
		l->lanes = lanes_check(&s->v->view, loop, &lanes, s->a);
	l->is_reduction = lanes.reductions && *lanes.reductions;
	l->has_call = lanes.has_call;
	l->is_unit = lanes.is_unit;
}

static struct nest_loop *note_loop(struct survey *s, const struct stmt *loop, unsigned depth)
{
	struct nest *n = s->nest;
	struct nest_loop *l = find_loop(n, loop->loop->label);
	if (!l && n->nr < LOOPS_MAX) {
		l = &n->items[n->nr++];
		*l = (struct nest_loop){ .label = loop->loop->label, .depth = depth };
	}
	return l;
}

static void note_trips(struct nest_loop *l, double trips)
{
	if (trips > 0 && (l->least == 0 || trips < l->least))
		l->least = trips;
	if (trips > l->most)
		l->most = trips;
}

/* The work below: iterations of innermost loops, for `starts` runs of what is here. */
static double survey_stmt(struct survey *s, const struct stmt *stmt, unsigned depth, double starts)
{
	double work = 0;
	double trips = 1;
	size_t nr_middles = s->nr_middles;
	struct nest_loop *l = stmt->loop ? note_loop(s, stmt, depth) : NULL;
	if (stmt->loop) {
		trips = find_trips(s, stmt);
		if (l)
			note_trips(l, trips);
		trips = trips > 0 ? trips : UNKNOWN_TRIPS;
		depth++;
	}
	for (size_t i = 0; i < stmt->nr; i++)
		work += survey_stmt(s, stmt->items[i], depth, starts * trips);
	if (stmt->loop && work == 0)
		work = 1;
	work *= trips;
	if (l && s->is_largest) {
		l->starts = starts;
		l->work = work;
		describe(s, l, stmt);
	}
	s->nr_middles = nr_middles;
	return work;
}

static double survey_variant(struct nest *n, const struct variant *v, bool is_largest,
			     struct arena *a)
{
	struct survey s = { .nest = n, .v = v, .a = a, .is_largest = is_largest };
	return survey_stmt(&s, v->body, 0, 1);
}

/* The largest body is walked once more, to fill in what is told for it alone. */
void nest_study(struct nest *n, const struct kernel *k, struct arena *a)
{
	size_t largest = 0;
	*n = (struct nest){ .items = arena_array(a, LOOPS_MAX, sizeof(*n->items)) };
	size_t nr = k->nr_variants > 1 ? k->nr_variants - 1 : k->nr_variants;
	for (size_t i = 0; i < nr; i++) {
		double work = survey_variant(n, &k->variants[i], false, a);
		if (work > n->work) {
			n->work = work;
			largest = i;
		}
	}
	if (nr)
		survey_variant(n, &k->variants[largest], true, a);
}
