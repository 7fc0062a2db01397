#include "tuner/beyond.h"

/* The end of the loop is the counter of the loop right around it plus a number, so the iteration of
 * that loop with the largest end runs, and reads, with everything else equal, what any other one
 * reads beyond its own end. */

#include <string.h>

#include "base/mem.h"
#include "tuner/access.h"
#include "tuner/env.h"
#include "tuner/ir.h"
#include "tuner/kernel.h"
#include "tuner/rewrite.h"
#include "tuner/walk.h"

struct beyond {
	const struct variant *v;
	const struct stmt *loop;
	const struct stmt *outer; /* the loop right around it, which its end grows with */
	struct stmt *block;       /* what it is an item of */
	size_t at;
	struct poly end;
	int64_t most; /* the largest end */
	struct accesses list;
	struct accesses around; /* of the outer loop */
	struct arena *a;
};

static bool is_number_at_least(const struct poly *p, int64_t least)
{
	int64_t value;
	return !p->is_unknown && poly_is_number(p, &value) && value >= least;
}

/* The end as counter + number: the number. */
static bool find_end(struct beyond *b, struct env *env, int64_t *plus)
{
	const char *label = b->outer->loop->label;
	struct poly slope;
	struct poly rest;
	int64_t one;
	b->end = env_poly(env, b->loop->loop->hi);
	return poly_split(&b->end, label, &slope, &rest) && poly_is_number(&slope, &one) &&
	       one == 1 && poly_is_number(&rest, plus);
}

static const char *find_range(struct beyond *b, struct env *env)
{
	struct poly from = env_poly(env, b->loop->loop->lo);
	struct poly first = env_poly(env, b->outer->loop->lo);
	struct poly behind = env_poly(env, b->outer->loop->hi);
	int64_t zero;
	int64_t lo;
	int64_t hi;
	int64_t plus;
	if (!poly_is_number(&from, &zero) || zero != 0 || b->loop->loop->step != 1 ||
	    b->outer->loop->step != 1)
		return "it does not count from 0 by 1";
	if (!find_end(b, env, &plus))
		return "its end does not grow with the loop around it";
	if (!poly_is_number(&first, &lo) || !poly_is_number(&behind, &hi) || lo >= hi)
		return "its largest end is not known";
	b->most = hi - 1 + plus;
	return NULL;
}

/* Blocks and loops only: what is under a condition may not run where the end is largest. */
static bool is_unconditional(const struct beyond *b)
{
	const struct stmt *s = b->loop;
	struct place at;
	while (s != b->v->body) {
		if (!place_find(b->v->body, s, &at) ||
		    (at.parent->kind != STMT_BLOCK && at.parent->kind != STMT_LOOP))
			return false;
		s = at.parent;
	}
	return !stmt_has_jump(b->outer);
}

static const struct decl *local_array(const struct beyond *b, const char *name)
{
	for (size_t i = 0; i < b->at; i++) {
		const struct stmt *s = b->block->items[i];
		if (s->kind == STMT_DECL && strcmp(s->decl->name, name) == 0)
			return s->decl->nr_dims ? s->decl : NULL;
	}
	return NULL;
}

/* A place of its own for every iteration, also for those beyond. */
static bool has_room(const struct beyond *b, struct env *env, const struct access *x)
{
	const struct decl *d = local_array(b, x->array);
	struct poly counter = poly_name(b->loop->loop->label);
	if (!d || d->nr_dims != x->nr_subs || x->is_conditional)
		return false;
	for (size_t i = 0; i + 1 < x->nr_subs; i++)
		if (x->subs[i].is_unknown || poly_uses(&x->subs[i], b->loop->loop->label))
			return false;
	struct poly room = env_poly(env, d->dims[d->nr_dims - 1]);
	return poly_equal(&x->subs[x->nr_subs - 1], &counter) && is_number_at_least(&room, b->most);
}

/* Nothing in it differs between iterations of the outer loop. */
static bool is_steady(const struct beyond *b, const struct poly *p)
{
	if (p->is_unknown)
		return false;
	for (unsigned t = 0; t < p->nr; t++) {
		for (unsigned i = 0; i < p->terms[t].nr; i++) {
			const char *name = p->terms[t].names[i];
			if (strcmp(name, b->outer->loop->label) == 0 ||
			    (stmt_declares(b->outer, name) && !kernel_loop(b->v, name)))
				return false;
			for (size_t k = 0; k < b->around.nr_scalars; k++)
				if (strcmp(b->around.scalars[k], name) == 0)
					return false;
		}
	}
	return true;
}

static bool reads_alike(const struct beyond *b, const struct access *x)
{
	for (size_t i = 1; i < x->nr_loops; i++)
		if (!is_steady(b, &x->loops[i].lo) || !is_steady(b, &x->loops[i].hi))
			return false;
	for (size_t i = 0; i < x->nr_subs; i++) {
		bool moves = x->subs[i].is_unknown || poly_uses(&x->subs[i], b->loop->loop->label);
		if (moves && !is_steady(b, &x->subs[i]))
			return false;
	}
	return !x->is_conditional;
}

static const char *accesses_trouble(const struct beyond *b, struct env *env)
{
	for (size_t i = 0; i < b->list.nr; i++) {
		const struct access *x = b->list.items[i];
		if (x->is_read && accesses_writes(&b->list, x->array))
			return arena_printf(b->a, "it reads %s, which it writes", x->array);
		if (x->is_write && !has_room(b, env, x))
			return arena_printf(b->a, "%s has no place for what is beyond", x->array);
		if (x->is_read && !reads_alike(b, x))
			return arena_printf(b->a, "beyond its end %s may end, too", x->array);
	}
	return NULL;
}

/* The element that a loop up to the same end counts: never one beyond. */
static bool is_within(const struct beyond *b, const struct access *x)
{
	const struct poly *sub = &x->subs[x->nr_subs - 1];
	for (size_t i = 0; x->nr_subs && i < x->nr_loops; i++) {
		const struct access_loop *l = &x->loops[i];
		struct poly counter = poly_name(l->stmt->loop->label);
		if (!sub->is_unknown && poly_equal(sub, &counter) &&
		    is_number_at_least(&l->lo, 0) &&
		    (poly_equal(&l->hi, &b->end) || poly_equal(&l->cap, &b->end)))
			return true;
	}
	return false;
}

static bool looks_beyond(const struct beyond *b, const struct stmt *s, const char *array)
{
	struct accesses list;
	if (!stmt_uses(s, array))
		return false;
	if (s->kind != STMT_LOOP)
		return true;
	accesses_collect(&list, &b->v->view, s, b->a);
	for (size_t i = 0; i < list.nr; i++)
		if (strcmp(list.items[i]->array, array) == 0 && !is_within(b, list.items[i]))
			return true;
	return list.trouble != NULL;
}

static const char *later_trouble(const struct beyond *b)
{
	for (size_t i = 0; i < b->list.nr; i++) {
		const struct access *x = b->list.items[i];
		for (size_t k = b->at + 1; x->is_write && k < b->block->nr; k++)
			if (looks_beyond(b, b->block->items[k], x->array))
				return arena_printf(b->a, "%s may be read beyond the end",
						    x->array);
	}
	return NULL;
}

static bool see_division(void *ctx, const struct expr *e)
{
	bool *is_found = ctx;
	bool is_operator = e->kind == EXPR_BINARY || e->kind == EXPR_ASSIGN;
	*is_found = *is_found || (is_operator && (e->text[0] == '/' || e->text[0] == '%'));
	return !*is_found;
}

/* Of integers, one by zero ends the process, and both sides may hold the counters. */
static bool divides(const struct stmt *loop)
{
	bool is_found = false;
	walk_stmt(&(struct walk){ .ctx = &is_found, .see_expr = see_division }, loop->items[0]);
	return is_found;
}

static const char *check(struct beyond *b, struct env *env, int64_t u)
{
	const char *trouble = find_range(b, env);
	if (trouble)
		return trouble;
	if (b->most <= 0 || b->most % u)
		return "its largest end is no multiple of a strip";
	if (!is_unconditional(b))
		return "it is under a condition";
	if (divides(b->loop))
		return "it divides, perhaps by zero beyond its end";
	accesses_collect(&b->list, &b->v->view, b->loop, b->a);
	accesses_collect(&b->around, &b->v->view, b->outer, b->a);
	if (b->list.trouble || b->list.has_exit || b->around.trouble)
		return "it holds what is not understood";
	if (b->list.nr_scalars)
		return arena_printf(b->a, "%s would count what is beyond", b->list.scalars[0]);
	trouble = accesses_trouble(b, env);
	return trouble ? trouble : later_trouble(b);
}

const char *beyond_trouble(const struct variant *v, const struct stmt *loop, int64_t u,
			   struct arena *a)
{
	AUTO_FREE struct env *env = xmalloc(sizeof(*env));
	struct beyond b = { .v = v, .loop = loop, .outer = loop_around(v->body, loop), .a = a };
	struct place at;
	if (!b.outer || !place_find(v->body, loop, &at) || at.parent->kind != STMT_BLOCK)
		return "there is no loop around it";
	b.block = at.parent;
	b.at = at.at;
	if (!env_open(env, &v->view, loop, a))
		return "too many names are visible there";
	return check(&b, env, u);
}
