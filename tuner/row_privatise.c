#include "tuner/kernel.h"

/* An array that a loop adds to in places that data chooses: two additions to one place in a row
 * wait for each other. Each of u copies takes every u-th iteration (layout=deal), or a part of the
 * range of its own, which threads may run (layout=block); in the end the copies are added up:
 *	T h_copies[u][N]; ... for (i...; i += u) for (copy...) h_copies[copy][x[i + copy]] += 1; */

#include <string.h>

#include "base/err.h"
#include "tuner/access.h"
#include "tuner/ir.h"
#include "tuner/rewrite.h"
#include "tuner/row.h"
#include "tuner/walk.h"

enum { COPIES_MAX = 64, STACK_BYTES = 192 << 10 };

struct privates {
	struct kernel *k;
	struct variant *v;
	struct stmt *loop;
	const char *array;
	const char *type;
	const char *copies;
	const char *copy; /* the counter */
	int64_t nr_elements;
	long nr;
};

struct uses {
	const char *array;
	unsigned nr;
	unsigned nr_sums;
};

static bool is_sum_of(const struct expr *e, const char *array)
{
	bool is_sum = e->kind == EXPR_ASSIGN &&
		      (strcmp(e->text, "+=") == 0 || strcmp(e->text, "-=") == 0);
	bool is_step = (e->kind == EXPR_POSTFIX || e->kind == EXPR_UNARY) &&
		       (strcmp(e->text, "++") == 0 || strcmp(e->text, "--") == 0);
	return (is_sum || is_step) && e->items[0]->kind == EXPR_INDEX &&
	       expr_is_name(e->items[0]->items[0], array);
}

/* Counts uses of the name and, among them, plain sums whose value nobody takes. */
static bool see_use(void *ctx, const struct expr *e)
{
	struct uses *u = ctx;
	u->nr += expr_is_name(e, u->array);
	return true;
}

static bool see_sum(void *ctx, const struct stmt *s)
{
	struct uses *u = ctx;
	u->nr_sums += s->kind == STMT_EXPR && s->expr && is_sum_of(s->expr, u->array);
	return true;
}

static bool is_only_summed(const struct stmt *loop, const char *array)
{
	struct uses u = { .array = array };
	walk_stmt(&(struct walk){ &u, see_use, see_sum }, loop);
	return u.nr && u.nr == u.nr_sums;
}

/* The first array that is written in places that no loop's counter alone tells. */
static const char *find_array(const struct privates *p, const struct accesses *list)
{
	for (size_t i = 0; i < list->nr; i++) {
		const struct access *x = list->items[i];
		if (x->is_write && x->nr_subs == 1 && x->subs[0].is_unknown &&
		    is_only_summed(p->loop, x->array))
			return x->array;
	}
	return NULL;
}

static const char *check(struct privates *p)
{
	struct accesses list;
	const char *why = loop_uncuttable(p->v, p->loop, p->k->a);
	int64_t trips = loop_trips(p->v, p->loop, p->k->a);
	if (why)
		return why;
	if (trips >= 0 && trips < p->nr)
		return "it has fewer iterations than copies";
	accesses_collect(&list, &p->v->view, p->loop, p->k->a);
	p->array = find_array(p, &list);
	if (!p->array)
		return "no array is only added to, in places that data chooses";
	p->type = element_type(p->v, p->array);
	p->nr_elements = array_elements(p->k, p->v, p->array);
	if (!p->type || p->nr_elements <= 0)
		return "the length of the array is no known number";
	if (p->nr_elements > STACK_BYTES / element_bytes(p->type) / p->nr)
		return "its copies would be too big";
	return NULL;
}

static struct expr *name_of(const struct privates *p, const char *name)
{
	return expr_name(p->k->a, name);
}

static struct loop header(const struct privates *p, const char *var, int64_t nr, const char *suffix)
{
	struct arena *a = p->k->a;
	return (struct loop){ .type = "int64_t",
			      .var = var,
			      .label = arena_printf(a, "%s%s", p->loop->loop->label, suffix),
			      .lo = expr_number(a, 0),
			      .hi = expr_number(a, nr),
			      .step = 1 };
}

static struct expr *element(const struct privates *p, const char *at)
{
	struct arena *a = p->k->a;
	return expr_index(a, expr_index(a, name_of(p, p->copies), name_of(p, p->copy)),
			  name_of(p, at));
}

/* for (copy) for (at) h_copies[copy][at] = 0; or h[at] += h_copies[copy][at]; */
static struct stmt *for_all(const struct privates *p, bool is_end)
{
	struct arena *a = p->k->a;
	const char *at = fresh_name(p->k, p->v, "at");
	struct loop outer = header(p, p->copy, p->nr, is_end ? "m" : "z");
	struct loop inner = header(p, at, p->nr_elements, is_end ? "ms" : "zs");
	struct expr *own = expr_index(a, name_of(p, p->array), name_of(p, at));
	struct expr *e = is_end ? expr_assign(a, "+=", own, element(p, at))
				: expr_assign(a, "=", element(p, at), expr_number(a, 0));
	return stmt_loop(a, &outer, stmt_loop(a, &inner, stmt_expr(a, e)));
}

static struct stmt *body_on_copy(const struct privates *p, struct expr *counter)
{
	struct arena *a = p->k->a;
	const struct loop *l = p->loop->loop;
	struct stmt *body = stmt_new(a, STMT_BLOCK);
	struct stmt *again = stmt_clone(a, p->loop->items[0]);
	const char *now = fresh_name(p->k, p->v, arena_printf(a, "%s_now", l->var));
	struct expr *own = expr_index(a, name_of(p, p->copies), name_of(p, p->copy));
	stmt_substitute(a, again, name_of(p, p->array), own);
	stmt_substitute(a, again, name_of(p, l->var), name_of(p, now));
	stmt_add(a, body, stmt_decl(a, l->type, now, counter));
	if (again->kind != STMT_BLOCK)
		stmt_add(a, body, again);
	for (size_t i = 0; again->kind == STMT_BLOCK && i < again->nr; i++)
		stmt_add(a, body, again->items[i]);
	return body;
}

/* for (i...; i += u) for (copy < u) ... */
static struct stmt *dealt(const struct privates *p)
{
	struct arena *a = p->k->a;
	struct loop outer = *p->loop->loop;
	struct loop inner = header(p, p->copy, p->nr, "s");
	outer.hi = loop_whole(p->v, p->loop, p->nr, a);
	outer.step = p->nr;
	inner.unroll = (unsigned)p->nr;
	struct expr *now = expr_binary(a, "+", name_of(p, outer.var), name_of(p, p->copy));
	outer.var = fresh_name(p->k, p->v, arena_printf(a, "%s_first", outer.var));
	now->items[0] = name_of(p, outer.var);
	return stmt_loop(a, &outer, stmt_loop(a, &inner, body_on_copy(p, now)));
}

/* for (copy < u) for (at < length) ... at lo + copy * length + at */
static struct stmt *in_blocks(const struct privates *p)
{
	struct arena *a = p->k->a;
	const struct loop *l = p->loop->loop;
	struct loop outer = header(p, p->copy, p->nr, "c");
	struct loop inner = *l;
	int64_t trips = loop_trips(p->v, p->loop, a);
	inner.var = fresh_name(p->k, p->v, arena_printf(a, "%s_at", l->var));
	inner.lo = expr_number(a, 0);
	inner.hi = trips >= 0 ? expr_number(a, trips / p->nr)
			      : expr_binary(a, "/", loop_count(p->v, p->loop, a),
					    expr_number(a, p->nr));
	struct expr *first = expr_binary(a, "*", name_of(p, p->copy), expr_clone(a, inner.hi));
	struct expr *now = expr_binary(a, "+", expr_clone(a, l->lo),
				       expr_binary(a, "+", first, name_of(p, inner.var)));
	return stmt_loop(a, &outer, stmt_loop(a, &inner, body_on_copy(p, now)));
}

static struct stmt *copies_decl(const struct privates *p)
{
	struct arena *a = p->k->a;
	struct stmt *d = stmt_decl(a, p->type, p->copies, NULL);
	d->decl->is_aligned = true;
	d->decl->nr_dims = 2;
	d->decl->dims = arena_array(a, 2, sizeof(*d->decl->dims));
	d->decl->dims[0] = expr_number(a, p->nr);
	d->decl->dims[1] = expr_number(a, p->nr_elements);
	return d;
}

static const char *rewrite(struct privates *p, bool is_block)
{
	struct arena *a = p->k->a;
	struct place at;
	struct stmt *out = stmt_new(a, STMT_BLOCK);
	if (!place_find(p->v->body, p->loop, &at))
		return "its place is not known";
	p->copies = fresh_name(p->k, p->v, arena_printf(a, "%s_copies", p->array));
	p->copy = fresh_name(p->k, p->v, "copy");
	struct expr *end = loop_whole(p->v, p->loop, p->nr, a);
	struct stmt *rest = loop_remainder(p->v, p->loop, end, p->nr, a);
	stmt_add(a, out, copies_decl(p));
	stmt_add(a, out, for_all(p, false));
	stmt_add(a, out, is_block ? in_blocks(p) : dealt(p));
	if (rest)
		stmt_add(a, out, rest);
	stmt_add(a, out, for_all(p, true));
	place_put(a, at, out);
	return NULL;
}

static const char *apply_to(struct kernel *k, struct variant *v, struct stmt *loop,
			    const struct row *row)
{
	struct privates p = { .k = k, .v = v, .loop = loop };
	struct err e = { 0 };
	const char *layout = row_get(row, "layout");
	bool is_block = layout && strcmp(layout, "block") == 0;
	if (layout && !is_block && strcmp(layout, "deal") != 0)
		return "layout must be block or deal";
	if (row_get_number(row, "u", 2, COPIES_MAX, &p.nr, &e) < 0)
		return arena_strdup(k->a, e.text);
	const char *why = check(&p);
	return why ? why : rewrite(&p, is_block);
}

int row_privatise(struct kernel *k, const struct row *row, struct err *e)
{
	return row_apply_each(k, row, apply_to, e);
}
