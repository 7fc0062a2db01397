#include "tuner/lanes.h"

#include "base/mem.h"
#include "base/str.h"
#include "tuner/access.h"
#include "tuner/ir.h"
#include "tuner/proof.h"
#include "tuner/reduce.h"
#include "tuner/walk.h"

static bool see_inner(void *ctx, const struct stmt *s)
{
	bool *is_found = ctx;
	bool is_loop = s->kind == STMT_LOOP || s->kind == STMT_FOR || s->kind == STMT_WHILE ||
		       s->kind == STMT_DO;
	*is_found = *is_found || is_loop || s->kind == STMT_JUMP || s->kind == STMT_OPAQUE;
	return true;
}

static bool is_complicated(const struct stmt *loop)
{
	bool is_found = false;
	for (size_t i = 0; i < loop->nr; i++)
		walk_stmt(&(struct walk){ &is_found, NULL, see_inner }, loop->items[i]);
	return is_found;
}

/* The clauses for all changed scalars, NULL when one of them is no reduction. */
static const char *reductions(const struct stmt *loop, const struct accesses *list, struct arena *a)
{
	AUTO_STR struct str text = STR_INIT;
	for (size_t i = 0; i < list->nr_scalars; i++) {
		const char *op = reduce_operation(loop, list->scalars[i]);
		if (!op)
			return NULL;
		str_addf(&text, "%sreduction(%s : %s)", i ? " " : "", op, list->scalars[i]);
	}
	return arena_strdup(a, text.text);
}

/* Calls that become one instruction under any flags. */
static bool is_instruction(const struct expr *callee)
{
	static const char *const names[] = { "fabs", "fabsf", "fma", "fmaf" };
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (expr_is_name(callee, names[i]))
			return true;
	return false;
}

static bool see_call(void *ctx, const struct expr *e)
{
	bool *is_found = ctx;
	*is_found = *is_found || (e->kind == EXPR_CALL && !is_instruction(e->items[0]));
	return !*is_found;
}

static bool has_call(const struct stmt *loop)
{
	bool is_found = false;
	walk_stmt(&(struct walk){ .ctx = &is_found, .see_expr = see_call }, loop);
	return is_found;
}

static bool moves_by_one(const struct access *x, const char *label)
{
	for (size_t d = 0; d < x->nr_subs; d++) {
		struct poly slope;
		struct poly rest;
		int64_t by;
		bool is_last = d + 1 == x->nr_subs;
		if (!poly_split(&x->subs[d], label, &slope, &rest) ||
		    !poly_is_number(&slope, &by) || (by != 0 && !(is_last && by == 1)))
			return false;
	}
	return true;
}

static bool all_move_by_one(const struct accesses *list, const char *label)
{
	for (size_t i = 0; i < list->nr; i++)
		if (!moves_by_one(list->items[i], label))
			return false;
	return true;
}

const char *lanes_check(const struct view *view, const struct stmt *loop, struct lanes *out,
			struct arena *a)
{
	struct accesses list;
	*out = (struct lanes){ .reductions = "" };
	if (is_complicated(loop))
		return "it holds another loop, a jump or a statement that is not understood";
	accesses_collect(&list, view, loop, a);
	const char *clauses = reductions(loop, &list, a);
	if (!clauses)
		return "a variable goes from one iteration to the next";
	out->reductions = clauses;
	out->has_call = has_call(loop);
	out->is_unit = all_move_by_one(&list, loop->loop->label);
	return proof_arrays(&list, loop, a);
}
