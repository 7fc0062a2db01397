#include "tuner/kernel.h"

/* A loop whose body is one condition that rarely holds asks it for a block of iterations at once:
 *	for (block...) { any = 0; for (...) any |= cond; if (any) for (...) if (cond) S; }
 * While the condition does not hold nothing changes, so a block in which it holds nowhere would
 * have done nothing; any other runs as before. The question has no branch and runs in lanes. */

#include "base/err.h"
#include "tuner/ir.h"
#include "tuner/rewrite.h"
#include "tuner/row.h"
#include "tuner/walk.h"

enum { BLOCK_MAX = 4096 };

static bool see_effect(void *ctx, const struct expr *e)
{
	bool *is_found = ctx;
	*is_found = *is_found || e->kind == EXPR_ASSIGN || e->kind == EXPR_POSTFIX ||
		    e->kind == EXPR_CALL || (e->kind == EXPR_UNARY && e->text[1]);
	return !*is_found;
}

static const char *unsuitable(const struct variant *v, struct stmt *loop, struct arena *a)
{
	const struct stmt *body = stmt_only(loop->items[0]);
	bool has_effect = false;
	if (!body || body->kind != STMT_IF || body->nr != 1)
		return "its body is not one condition";
	walk_expr(&(struct walk){ .ctx = &has_effect, .see_expr = see_effect }, body->expr);
	if (has_effect)
		return "its condition does more than to compare";
	return loop_uncuttable(v, loop, a);
}

static struct expr *plus(struct arena *a, const char *name, int64_t n)
{
	return expr_binary(a, "+", expr_name(a, name), expr_number(a, n));
}

/* The loop over one block, counting with `var`. */
static struct loop block_header(struct arena *a, const struct loop *l, const char *block, long n)
{
	struct loop h = *l;
	h.lo = expr_name(a, block);
	h.hi = plus(a, block, n);
	return h;
}

/* 0 or 1, whatever the type of the condition is. */
static struct expr *as_truth(struct arena *a, struct expr *e)
{
	int strength = expr_strength(e);
	bool is_truth = strength >= operator_strength("||") &&
			strength <= operator_strength(">=") && strength != operator_strength("|") &&
			strength != operator_strength("^") && strength != operator_strength("&");
	return is_truth ? e : expr_binary(a, "!=", e, expr_number(a, 0));
}

/* any = 0; for (...) any |= cond; */
static struct stmt *ask(const struct kernel *k, const struct variant *v, struct stmt *loop,
			struct loop header, const char *any)
{
	struct arena *a = k->a;
	const char *var = fresh_name(k, v, arena_printf(a, "%s_asked", header.var));
	struct expr *cond = as_truth(a, expr_clone(a, stmt_only(loop->items[0])->expr));
	struct stmt *test = stmt_expr(a, expr_assign(a, "|=", expr_name(a, any), cond));
	stmt_substitute(a, test, expr_name(a, header.var), expr_name(a, var));
	header.var = var;
	header.label = arena_printf(a, "%ss", header.label);
	return stmt_loop(a, &header, test);
}

static struct stmt *blocks(const struct kernel *k, const struct variant *v, struct stmt *loop,
			   struct expr *end, long n)
{
	struct arena *a = k->a;
	struct loop outer = *loop->loop;
	outer.var = fresh_name(k, v, arena_printf(a, "%s_block", outer.var));
	outer.hi = end;
	outer.step = n;
	struct loop inner = block_header(a, loop->loop, outer.var, n);
	const char *any = fresh_name(k, v, "any");
	struct stmt *body = stmt_new(a, STMT_BLOCK);
	struct stmt *again = stmt_loop(a, &inner, stmt_clone(a, loop->items[0]));
	struct stmt *hit = stmt_new(a, STMT_IF);
	stmt_relabel(a, again, "c");
	hit->expr = expr_name(a, any);
	stmt_add(a, hit, again);
	stmt_add(a, body, stmt_decl(a, "int", any, expr_number(a, 0)));
	stmt_add(a, body, ask(k, v, loop, inner, any));
	stmt_add(a, body, hit);
	return stmt_loop(a, &outer, body);
}

static const char *apply_to(struct kernel *k, struct variant *v, struct stmt *loop,
			    const struct row *row)
{
	struct arena *a = k->a;
	struct place at;
	struct err e = { 0 };
	long n;
	if (row_get_number(row, "u", 2, BLOCK_MAX, &n, &e) < 0)
		return arena_strdup(a, e.text);
	const char *why = unsuitable(v, loop, a);
	if (why)
		return why;
	int64_t trips = loop_trips(v, loop, a);
	if ((trips >= 0 && trips < n) || !place_find(v->body, loop, &at))
		return "it has fewer iterations than a block";
	struct stmt *both = stmt_new(a, STMT_BLOCK);
	struct expr *end = loop_whole(v, loop, n, a);
	struct stmt *rest = loop_remainder(v, loop, expr_clone(a, end), n, a);
	stmt_add(a, both, blocks(k, v, loop, end, n));
	if (rest)
		stmt_add(a, both, rest);
	place_put(a, at, both);
	return NULL;
}

int row_guard(struct kernel *k, const struct row *row, struct err *e)
{
	return row_apply_each(k, row, apply_to, e);
}
