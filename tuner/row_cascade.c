#include "tuner/kernel.h"

/* A loop over time whose body is a few sweeps: instead of one sweep after the other over all of
 * memory, all of them follow each other over it once, each a few steps behind the one it needs.
 *	for (t...) { for (i...) A(i); for (i...) B(i); }
 *	-> for (front...) for (t...) { A at front - P*t; B at front - P*t - D; }, each where it has
 *work
 */

#include <string.h>

#include "base/err.h"
#include "tuner/cascade.h"
#include "tuner/fusion.h"
#include "tuner/ir.h"
#include "tuner/rewrite.h"
#include "tuner/row.h"
#include "tuner/ttask.h"

enum { BLOCK_MAX = 1024 };

static const char *study_time(const struct cascade *c)
{
	const struct stmt *body = c->time->items[0];
	const struct loop *l = c->time->loop;
	if (l->step != 1 || l->threads || l->is_simd || l->role != LOOP_PLAIN)
		return "it does not count by one, or runs otherwise already";
	size_t nr = body->kind == STMT_BLOCK ? body->nr : 1;
	if (!nr || nr > SWEEPS_MAX)
		return "its body is not a few loops";
	for (size_t i = 0; body->kind == STMT_BLOCK && i < nr; i++)
		if (body->items[i]->kind != STMT_LOOP)
			return "its body holds more than loops";
	return body->kind == STMT_BLOCK || body->kind == STMT_LOOP ? NULL
								   : "its body holds no loops";
}

static bool uses_time(const struct access *x, const char *label)
{
	for (size_t d = 0; d < x->nr_subs; d++)
		if (x->subs[d].is_unknown || poly_uses(&x->subs[d], label))
			return true;
	return false;
}

static bool is_written(const struct cascade *c, const char *array)
{
	for (size_t q = 0; q < c->nr; q++)
		if (accesses_writes(&c->sweeps[q].list, array))
			return true;
	return false;
}

/* What is written must be the same places at all times. */
static const char *moving_array(const struct cascade *c)
{
	for (size_t q = 0; q < c->nr; q++) {
		const struct accesses *list = &c->sweeps[q].list;
		for (size_t i = 0; i < list->nr; i++)
			if (is_written(c, list->items[i]->array) &&
			    uses_time(list->items[i], c->time->loop->label))
				return list->items[i]->array;
	}
	return NULL;
}

static const char *study_sweep(struct cascade *c, struct stmt *loop)
{
	const char *label = c->time->loop->label;
	struct sweep *s = &c->sweeps[c->nr];
	const char *why = sweep_study(s, c->v, loop, c->k->a);
	if (why)
		return why;
	if (s->list.nr_scalars)
		return "a sweep changes a variable";
	if (!sweep_offsets(&c->sweeps[0], s, &c->lo[c->nr], &c->hi[c->nr]) ||
	    loop->loop->step != 1 || poly_uses(&s->lo, label) || poly_uses(&s->hi, label))
		return "the bounds of its loops do not differ by known numbers";
	c->nr++;
	return NULL;
}

static const char *study(struct cascade *c)
{
	const struct stmt *body = c->time->items[0];
	const char *why = study_time(c);
	if (!why && body->kind == STMT_LOOP)
		why = study_sweep(c, c->time->items[0]);
	for (size_t i = 0; !why && body->kind == STMT_BLOCK && i < body->nr; i++)
		why = study_sweep(c, body->items[i]);
	if (why)
		return why;
	const char *array = moving_array(c);
	return array ? arena_printf(c->k->a, "its steps write %s in different places", array)
		     : NULL;
}

/* The least delay of sweep q behind all sweeps before it in one step; -1: none. */
static int64_t least_delay(const struct cascade *c, size_t q)
{
	int64_t delay = 0;
	for (size_t p = 0; p < q; p++) {
		int64_t own = sweep_delay(&c->sweeps[p], &c->sweeps[q], c->k->a);
		if (own < 0)
			return -1;
		if (c->delay[p] + own > delay)
			delay = c->delay[p] + own;
	}
	return delay;
}

static int64_t least_period(const struct cascade *c)
{
	int64_t period = 0;
	for (size_t p = 0; p < c->nr; p++) {
		for (size_t q = 0; q < c->nr; q++) {
			int64_t own = sweep_delay(&c->sweeps[p], &c->sweeps[q], c->k->a);
			if (own < 0)
				return -1;
			own += c->delay[p] - c->delay[q];
			period = own > period ? own : period;
		}
	}
	return period;
}

/* Every sweep waits for those before it, in its own step of time and in the one before. */
static const char *choose_delays(struct cascade *c, long shift)
{
	for (size_t q = 0; q < c->nr; q++) {
		int64_t least = least_delay(c, q);
		c->delay[q] = shift < 0 ? least : (int64_t)q * shift;
		if (least < 0 || c->delay[q] < least)
			return "a sweep would come too early for what another one touches";
	}
	int64_t least = least_period(c);
	c->period = shift < 0 ? least : (int64_t)c->nr * shift;
	return least < 0 || c->period < least
		       ? "a step of time would come too early for the one before"
		       : NULL;
}

static struct expr *times(struct arena *a, int64_t factor, struct expr *e)
{
	return expr_binary(a, "*", expr_number(a, factor), e);
}

/* A sweep's body where its delayed counter lies in its range. */
static struct stmt *make_stage(const struct cascade *c, size_t q, const char *front)
{
	struct arena *a = c->k->a;
	struct stmt *sweep = stmt_clone(a, c->sweeps[q].loop);
	const struct loop *l = sweep->loop;
	const struct loop *time = c->time->loop;
	struct stmt *block = stmt_new(a, STMT_BLOCK);
	struct stmt *test = stmt_new(a, STMT_IF);
	const char *base = arena_printf(a, "%s_at%zu", l->var, q);
	const char *at = fresh_name(c->k, c->v, base);
	struct expr *steps = expr_binary(a, "-", expr_name(a, time->var), expr_clone(a, time->lo));
	struct expr *late = expr_binary(a, "-", expr_name(a, front), times(a, c->period, steps));
	late = expr_binary(a, "-", late, expr_number(a, c->delay[q]));
	stmt_substitute(a, sweep->items[0], expr_name(a, l->var), expr_name(a, at));
	stmt_add(a, block, stmt_decl(a, "const int64_t", at, late));
	test->expr = expr_binary(a, "&&", expr_binary(a, ">=", expr_name(a, at), l->lo),
				 expr_binary(a, "<", expr_name(a, at), l->hi));
	stmt_add(a, test, sweep->items[0]);
	stmt_add(a, block, test);
	return block;
}

/* Where the front begins, and where the last sweep of `steps` steps ends. */
static void set_front(const struct cascade *c, struct loop *front, struct expr *steps)
{
	struct arena *a = c->k->a;
	size_t first = 0;
	size_t last = 0;
	for (size_t q = 1; q < c->nr; q++) {
		if (c->lo[q] + c->delay[q] < c->lo[first] + c->delay[first])
			first = q;
		if (c->hi[q] + c->delay[q] > c->hi[last] + c->delay[last])
			last = q;
	}
	struct expr *hi = expr_clone(a, c->sweeps[last].loop->loop->hi);
	struct expr *lo = expr_clone(a, c->sweeps[first].loop->loop->lo);
	struct expr *more = times(a, c->period, expr_plus(a, steps, -1));
	front->lo = expr_plus(a, lo, c->delay[first]);
	front->hi = expr_plus(a, hi, c->delay[last]);
	front->hi = more->is_integer ? expr_plus(a, front->hi, more->value)
				     : expr_binary(a, "+", front->hi, more);
}

static struct stmt *make_loop(struct arena *a, const struct loop *like, const char *var,
			      struct stmt *body)
{
	struct stmt *s = stmt_new(a, STMT_LOOP);
	s->loop = arena_alloc(a, sizeof(*s->loop));
	*s->loop = *like;
	s->loop->var = var;
	stmt_add(a, s, body);
	return s;
}

/* One pass of the front, with the loop over time inside it. */
struct stmt *cascade_pass(const struct cascade *c, struct expr *steps)
{
	struct arena *a = c->k->a;
	const struct loop *sweep = c->sweeps[0].loop->loop;
	const char *var = fresh_name(c->k, c->v, arena_printf(a, "%s_front", sweep->var));
	struct stmt *stages = stmt_new(a, STMT_BLOCK);
	for (size_t q = 0; q < c->nr; q++)
		stmt_add(a, stages, make_stage(c, q, var));
	struct stmt *time = make_loop(a, c->time->loop, c->time->loop->var, stages);
	struct stmt *front = make_loop(a, sweep, var, time);
	front->loop->type = "int64_t";
	set_front(c, front->loop, steps);
	return front;
}

struct expr *cascade_steps(const struct cascade *c)
{
	struct arena *a = c->k->a;
	const struct loop *l = c->time->loop;
	int64_t trips = loop_trips(c->v, c->time, a);
	return trips > 0 ? expr_number(a, trips)
			 : expr_binary(a, "-", expr_clone(a, l->hi), expr_clone(a, l->lo));
}

/* Several passes, each over a few steps of time. */
static struct stmt *make_blocks(const struct cascade *c)
{
	struct arena *a = c->k->a;
	struct loop *time = c->time->loop;
	int64_t trips = loop_trips(c->v, c->time, a);
	const char *var = fresh_name(c->k, c->v, arena_printf(a, "%s_block", time->var));
	struct loop whole = *time;
	struct expr *end = expr_plus(a, expr_name(a, var), c->block);
	struct expr *least = expr_new(a, EXPR_CHOICE, "?", 3);
	least->items[0] = expr_binary(a, "<", expr_clone(a, end), expr_clone(a, whole.hi));
	least->items[1] = expr_clone(a, end);
	least->items[2] = expr_clone(a, whole.hi);
	time->lo = expr_name(a, var);
	time->hi = trips > 0 && trips % c->block == 0 ? end : least;
	struct stmt *pass = cascade_pass(c, expr_number(a, c->block));
	struct stmt *outer = make_loop(a, &whole, var, pass);
	outer->loop->step = c->block;
	outer->loop->label = arena_printf(a, "%ss", whole.label);
	return outer;
}

static const char *apply_to(struct kernel *k, struct variant *v, struct stmt *loop,
			    const struct row *row)
{
	struct cascade c = { .k = k, .v = v, .time = loop };
	struct err e = { 0 };
	struct place at;
	long shift = -1;
	long parts = 1;
	if (row_get(row, "shift") && row_get_number(row, "shift", 0, DELAY_MAX, &shift, &e) < 0)
		return arena_strdup(k->a, e.text);
	if (row_get(row, "block") && row_get_number(row, "block", 2, BLOCK_MAX, &c.block, &e) < 0)
		return arena_strdup(k->a, e.text);
	if (row_get(row, "parts") &&
	    row_get_number(row, "parts", 1, (long)k->task->threads, &parts, &e) < 0)
		return arena_strdup(k->a, e.text);
	const char *why = study(&c);
	why = why ? why : choose_delays(&c, shift);
	if (why || !place_find(v->body, loop, &at))
		return why ? why : "it is not in the body";
	if (parts > 1)
		return cascade_deal(&c, parts, &at.parent->items[at.at]);
	int64_t trips = loop_trips(v, loop, k->a);
	bool is_blocked = c.block && (trips < 0 || trips > c.block);
	at.parent->items[at.at] =
		is_blocked ? make_blocks(&c) : cascade_pass(&c, cascade_steps(&c));
	return NULL;
}

int row_cascade(struct kernel *k, const struct row *row, struct err *e)
{
	return row_apply_each(k, row, apply_to, e);
}
