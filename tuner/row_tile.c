#include "tuner/kernel.h"

/* Two nested loops walk through their plane in rectangles, so that what one column of a rectangle
 * brings into the cache is still there for the next. */

#include <string.h>

#include "base/err.h"
#include "tuner/ir.h"
#include "tuner/reorder.h"
#include "tuner/rewrite.h"
#include "tuner/row.h"
#include "tuner/walk.h"

enum { TILE_MAX = 1 << 16 };

/* tile + length, or the loop's end where that comes first. */
static struct expr *tile_end(struct arena *a, const struct loop *l, struct expr *end, bool is_full)
{
	if (is_full)
		return end;
	struct expr *choice = expr_new(a, EXPR_CHOICE, "?", 3);
	choice->items[0] = expr_binary(a, "<", expr_clone(a, end), expr_clone(a, l->hi));
	choice->items[1] = end;
	choice->items[2] = expr_clone(a, l->hi);
	return choice;
}

/* The loop becomes the one over tiles, under a name of its own; the answer runs through one tile
 * under the old name. */
static struct stmt *split(struct kernel *k, struct variant *v, struct stmt *loop, int64_t trips,
			  long u)
{
	struct arena *a = k->a;
	struct loop *l = loop->loop;
	struct stmt *inner = stmt_new(a, STMT_LOOP);
	const char *name = fresh_name(k, v, arena_printf(a, "%s_tile", l->var));
	struct expr *end = expr_binary(a, "+", expr_name(a, name), expr_number(a, u * l->step));
	inner->loop = arena_alloc(a, sizeof(*inner->loop));
	*inner->loop = (struct loop){ .label = arena_printf(a, "%ss", l->label),
				      .type = l->type,
				      .var = l->var,
				      .lo = expr_name(a, name),
				      .hi = tile_end(a, l, end, trips > 0 && trips % u == 0),
				      .step = l->step };
	l->var = name;
	l->step *= u;
	l->is_simd = false;
	l->unroll = 0;
	return inner;
}

static bool may_reorder(const struct variant *v, struct stmt *outer, struct stmt *inner,
			struct arena *a)
{
	if (!reorder_trouble(&v->view, outer, a))
		return true;
	struct loop *loop = outer->loop;
	outer->loop = inner->loop;
	inner->loop = loop;
	bool is_legal = !reorder_trouble(&v->view, outer, a);
	inner->loop = outer->loop;
	outer->loop = loop;
	return is_legal;
}

static const char *check(const struct variant *v, struct stmt *loop, struct stmt *inner,
			 const char *label, struct arena *a)
{
	if (!inner || inner->kind != STMT_LOOP || strcmp(inner->loop->label, label) != 0)
		return "its body is not that one loop";
	if (expr_uses(inner->loop->lo, loop->loop->var) ||
	    expr_uses(inner->loop->hi, loop->loop->var))
		return "the bounds of the loop inside depend on it";
	if (!may_reorder(v, loop, inner, a))
		return "its iterations can not change places";
	return NULL;
}

static const char *apply_to(struct kernel *k, struct variant *v, struct stmt *loop,
			    const struct row *row)
{
	struct err ignored = { 0 };
	struct stmt *inner = stmt_only(loop->items[0]);
	long u;
	long w;
	const char *trouble = check(v, loop, inner, row_get(row, "inner"), k->a);
	if (trouble || row_get_number(row, "u", 2, TILE_MAX, &u, &ignored) < 0 ||
	    row_get_number(row, "v", 2, TILE_MAX, &w, &ignored) < 0)
		return trouble ? trouble : "u and v must be numbers";
	int64_t outer_trips = loop_trips(v, loop, k->a);
	int64_t inner_trips = loop_trips(v, inner, k->a);
	if ((outer_trips >= 0 && outer_trips < u) || (inner_trips >= 0 && inner_trips < w))
		return "it is smaller than a tile";
	struct stmt *body = inner->items[0];
	struct stmt *rows = split(k, v, loop, outer_trips, u);
	struct stmt *columns = split(k, v, inner, inner_trips, w);
	stmt_add(k->a, rows, columns);
	stmt_add(k->a, columns, body);
	inner->items[0] = rows;
	return NULL;
}

int row_tile(struct kernel *k, const struct row *row, struct err *e)
{
	long n;
	if (row_get_number(row, "u", 2, TILE_MAX, &n, e) < 0 ||
	    row_get_number(row, "v", 2, TILE_MAX, &n, e) < 0)
		return -1;
	return row_apply_each(k, row, apply_to, e);
}
