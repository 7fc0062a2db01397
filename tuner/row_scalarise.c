#include "tuner/kernel.h"

/* An element that every iteration of a loop updates, always the same one, lives in a variable:
 *	for (k...) c[i] += ...;	  ->	T c_sum = c[i]; for (k...) c_sum += ...; c[i] = c_sum;
 * Only when the update is unconditional: else an element that was never touched would be written.
 */

#include <string.h>

#include "base/err.h"
#include "tuner/access.h"
#include "tuner/cnormal.h"
#include "tuner/ir.h"
#include "tuner/rewrite.h"
#include "tuner/row.h"
#include "tuner/walk.h"

static bool is_invariant(const struct access *x)
{
	for (size_t d = 0; d < x->nr_subs; d++) {
		if (x->subs[d].is_unknown)
			return false;
		for (size_t i = 0; i < x->nr_loops; i++)
			if (poly_uses(&x->subs[d], x->loops[i].stmt->loop->label))
				return false;
	}
	return true;
}

/* Every access to the array is this same element, outside of any condition. */
static bool is_only_element(const struct accesses *list, const struct access *x)
{
	for (size_t i = 0; i < list->nr; i++) {
		const struct access *y = list->items[i];
		if (strcmp(x->array, y->array) == 0 &&
		    (y->is_conditional || !expr_equal(x->at, y->at)))
			return false;
	}
	return true;
}

static bool uses_name_inside(const struct stmt *loop, const struct expr *e)
{
	if (e->kind == EXPR_NAME && (stmt_declares(loop, e->text) || stmt_changes(loop, e->text)))
		return true;
	for (size_t i = 0; i < e->nr; i++)
		if (uses_name_inside(loop, e->items[i]))
			return true;
	return false;
}

static const struct access *find_element(const struct accesses *list, const struct stmt *loop)
{
	for (size_t i = 0; i < list->nr; i++) {
		const struct access *x = list->items[i];
		if (x->is_write && x->nr_loops == 1 && is_invariant(x) &&
		    is_only_element(list, x) && !uses_name_inside(loop, x->at))
			return x;
	}
	return NULL;
}

static void rewrite(const struct kernel *k, const struct variant *v, struct place at,
		    const struct access *x, const char *type)
{
	struct stmt *loop = at.parent->items[at.at];
	const char *name = fresh_name(k, v, arena_printf(k->a, "%s_kept", x->array));
	const struct expr *element = expr_clone(k->a, x->at);
	struct stmt *block = stmt_new(k->a, STMT_BLOCK);
	struct stmt *load = stmt_decl(k->a, type, name, expr_clone(k->a, element));
	struct expr *back =
		expr_assign(k->a, "=", expr_clone(k->a, element), expr_name(k->a, name));
	stmt_substitute(k->a, loop->items[0], element, expr_name(k->a, name));
	stmt_add(k->a, block, load);
	stmt_add(k->a, block, loop);
	stmt_add(k->a, block, stmt_expr(k->a, back));
	at.parent->items[at.at] = block;
}

static const char *apply_to(struct kernel *k, struct variant *v, struct stmt *loop,
			    const struct row *row)
{
	struct accesses list;
	struct place at;
	(void)row;
	accesses_collect(&list, &v->view, loop, k->a);
	if (list.trouble || list.has_exit)
		return list.trouble ? list.trouble : "it may be left early";
	const struct access *x = find_element(&list, loop);
	if (!x)
		return "no element is updated by every iteration";
	const char *type = element_type(v, x->array);
	if (!type || !place_find(v->body, loop, &at))
		return "the type of its element is not known";
	rewrite(k, v, at, x, type);
	return NULL;
}

int row_scalarise(struct kernel *k, const struct row *row, struct err *e)
{
	return row_apply_each(k, row, apply_to, e);
}
