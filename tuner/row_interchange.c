#include "tuner/kernel.h"

/* A loop and the only loop inside it change places. Legal when the iterations of the outer one may
 * run in any order, or when those of the inner one may, seen from outside: this is asked with the
 * loops swapped, and they are swapped back when the answer is no. */

#include "base/err.h"
#include "tuner/ir.h"
#include "tuner/reorder.h"
#include "tuner/rewrite.h"
#include "tuner/row.h"
#include "tuner/walk.h"

static void swap(struct stmt *outer, struct stmt *inner)
{
	struct loop *loop = outer->loop;
	outer->loop = inner->loop;
	inner->loop = loop;
}

static const char *apply_to(struct kernel *k, struct variant *v, struct stmt *loop,
			    const struct row *row)
{
	struct stmt *inner = stmt_only(loop->items[0]);
	(void)row;
	if (!inner || inner->kind != STMT_LOOP)
		return "its body is not one loop";
	if (expr_uses(inner->loop->lo, loop->loop->var) ||
	    expr_uses(inner->loop->hi, loop->loop->var))
		return "the bounds of the loop inside depend on it";
	const char *trouble = reorder_trouble(&v->view, loop, k->a);
	swap(loop, inner);
	if (trouble && reorder_trouble(&v->view, loop, k->a)) {
		swap(loop, inner);
		return trouble;
	}
	loop->loop->is_simd = inner->loop->is_simd = false;
	return NULL;
}

int row_interchange(struct kernel *k, const struct row *row, struct err *e)
{
	return row_apply_each(k, row, apply_to, e);
}
