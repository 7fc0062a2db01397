#include "tuner/kernel.h"

/* Whether a running sum may be cut, and where the pieces go. */

#include <string.h>

#include "base/err.h"
#include "tuner/access.h"
#include "tuner/etype.h"
#include "tuner/ir.h"
#include "tuner/proof.h"
#include "tuner/rewrite.h"
#include "tuner/row.h"
#include "tuner/scan.h"
#include "tuner/vtype.h"
#include "tuner/walk.h"

enum { PARTS_MAX = 4096, ROWS_MAX = 16, LANES_MAX = 16, BLOCK_MAX = 1 << 20, BLOCK = 4096 };

/* The numbers of a row, 0: not given. */
struct numbers {
	long parts;
	long rows;
	long block;
	long lanes;
};

static bool is_update(const struct stmt *s, const char *sum)
{
	const struct expr *e = s->kind == STMT_EXPR ? s->expr : NULL;
	return e && e->kind == EXPR_ASSIGN && strcmp(e->text, "+=") == 0 &&
	       expr_is_name(e->items[0], sum) && !expr_uses(e->items[1], sum);
}

static const char *find_update(struct scan *s)
{
	const struct stmt *body = s->loop->items[0];
	unsigned nr = 0;
	bool is_used = false;
	for (size_t i = 0; i < body->nr; i++) {
		if (is_update(body->items[i], s->sum)) {
			s->update = i;
			nr++;
		} else if (stmt_changes(body->items[i], s->sum)) {
			nr = 2;
		} else {
			is_used = is_used || stmt_uses(body->items[i], s->sum);
		}
	}
	if (nr != 1)
		return "not one statement of its body adds to the sum";
	return is_used ? NULL : "the running sum is not used inside";
}

struct inputs {
	const struct scan *s;
	bool is_bad;
};

/* What is added may depend on nothing that the loop changes. */
static bool see_input(void *ctx, const struct expr *e)
{
	struct inputs *in = ctx;
	const struct scan *s = in->s;
	bool is_local = e->kind == EXPR_NAME && stmt_changes(s->loop->items[0], e->text);
	if (is_local || (e->kind == EXPR_NAME && accesses_writes(&s->list, e->text)))
		in->is_bad = true;
	if (e->kind == EXPR_ASSIGN || e->kind == EXPR_POSTFIX ||
	    (e->kind == EXPR_UNARY && e->text[1]))
		in->is_bad = true;
	return !in->is_bad;
}

static const char *check_summand(const struct scan *s)
{
	struct inputs in = { .s = s };
	struct stmt *part = scan_summand(s);
	for (size_t i = 0; i < part->nr; i++) {
		const struct decl *d = part->items[i]->decl;
		const struct expr *e = d ? d->init : part->items[i]->expr->items[1];
		if (d && (d->nr_dims || *d->stars))
			return "what is added needs an array of the body";
		if (e && expr_uses(e, s->sum))
			return "what is added needs the sum itself";
		walk_expr(&(struct walk){ .ctx = &in, .see_expr = see_input }, e);
	}
	return in.is_bad ? "what is added depends on what the loop changes" : NULL;
}

static const char *check(struct scan *s)
{
	accesses_collect(&s->list, &s->v->view, s->loop, s->k->a);
	const char *why = loop_uncuttable(s->v, s->loop, s->k->a);
	if (why)
		return why;
	if (stmt_has_jump(s->loop))
		return "a jump may skip a part of it";
	if (s->list.nr_scalars != 1)
		return "it does not change exactly one variable";
	s->sum = s->list.scalars[0];
	s->type = element_type(s->v, s->sum);
	if (!s->type)
		return "the type of the sum is not known";
	stmt_body(s->k->a, s->loop);
	why = find_update(s);
	return why ? why : check_summand(s);
}

static const char *get_numbers(const struct row *row, struct numbers *n)
{
	struct err e = { 0 };
	const struct {
		const char *key;
		long max;
		long *out;
	} keys[] = { { "parts", PARTS_MAX, &n->parts },
		     { "u", ROWS_MAX, &n->rows },
		     { "block", BLOCK_MAX, &n->block },
		     { "lanes", LANES_MAX, &n->lanes } };
	*n = (struct numbers){ .block = BLOCK };
	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		if (row_get(row, keys[i].key) &&
		    row_get_number(row, keys[i].key, 2, keys[i].max, keys[i].out, &e) < 0)
			return "its numbers are out of range";
	if (!n->parts && !n->rows && !n->lanes)
		return "it needs parts=, u= or lanes=";
	if (n->rows && n->lanes)
		return "u= and lanes= are two ways of the same";
	return n->rows && n->block % n->rows ? "block must be a multiple of u" : NULL;
}

/* The new loops and the rest in the place of the loop. */
static const char *put(struct scan *s, struct stmt *out, long piece)
{
	struct arena *a = s->k->a;
	struct place at;
	struct expr *end = loop_whole(s->v, s->loop, piece, a);
	struct stmt *rest = loop_remainder(s->v, s->loop, end, piece, a);
	if (rest)
		stmt_add(a, out, rest);
	if (!place_find(s->v->body, s->loop, &at))
		return "its place is not known";
	place_put(a, at, out);
	return NULL;
}

static bool is_short(const struct scan *s, long piece)
{
	int64_t trips = loop_trips(s->v, s->loop, s->k->a);
	return trips >= 0 && trips < piece;
}

static const char *check_rows(const struct scan *s, long block)
{
	if (is_short(s, block))
		return "it has fewer iterations than a block";
	/* Rows go side by side, parts one after the other. */
	return proof_arrays(&s->list, s->loop, s->k->a);
}

static const char *check_lanes(const struct scan *s, long lanes, struct vtype *t)
{
	const struct stmt *body = s->loop->items[0];
	enum etype type = etype_named(s->type);
	unsigned bits = (unsigned)lanes * (type == ETYPE_DOUBLE ? 64 : 32);
	for (size_t i = 0; i < s->update; i++)
		if (stmt_uses(body->items[i], s->sum))
			return "the sum is used in front of what is added to it";
	if (!vtype_fit(t, type, bits, lanes) || t->lanes != lanes)
		return "there is no vector of so many lanes";
	return check_rows(s, lanes);
}

/* What `lanes` or `u` make of the loop, in its place. */
static const char *cut_inside(struct scan *s, const struct numbers *n)
{
	struct stmt *out = stmt_new(s->k->a, STMT_BLOCK);
	struct vtype type;
	const char *why = check(s);
	if (!why)
		why = n->rows ? check_rows(s, n->block) : check_lanes(s, n->lanes, &type);
	if (why)
		return why;
	if (n->rows)
		scan_cut_rows(s, out, n->rows, n->block);
	else
		scan_cut_lanes(s, out, &type);
	return put(s, out, n->rows ? n->block : n->lanes);
}

static const char *apply_to(struct kernel *k, struct variant *v, struct stmt *loop,
			    const struct row *row)
{
	struct scan s = { .k = k, .v = v, .loop = loop };
	struct numbers n;
	struct vtype ignored;
	const char *why = get_numbers(row, &n);
	if (why)
		return why;
	if (!n.parts)
		return cut_inside(&s, &n);
	why = check(&s);
	if (!why && n.rows)
		why = check_rows(&s, n.block * n.parts);
	if (!why && n.lanes)
		why = check_lanes(&s, n.lanes, &ignored);
	long unit = n.lanes ? n.lanes : 1;
	if (!why && is_short(&s, n.parts * unit))
		why = "it has fewer iterations than parts";
	if (why)
		return why;
	struct stmt *out = stmt_new(k->a, STMT_BLOCK);
	scan_cut_parts(&s, out, n.parts, unit);
	why = put(&s, out, n.parts * unit);
	if (why || (!n.rows && !n.lanes))
		return why;
	s.loop = kernel_loop(v, loop->loop->label);
	return cut_inside(&s, &n);
}

int row_scan(struct kernel *k, const struct row *row, struct err *e)
{
	return row_apply_each(k, row, apply_to, e);
}
