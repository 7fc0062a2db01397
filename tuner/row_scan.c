#include "tuner/kernel.h"

/* A running sum whose values are used is cut into parts that do not wait for each other:
 *	for (i...) { s += f(i); c[i] = s; }
 * becomes the sum of each part, the sums in front of each part, and the parts once more, each from
 * its own start. With `parts` the parts are long and may be dealt out to threads. With `u` a block
 * of iterations is cut in u rows, which then go side by side, so that their additions overlap. */

#include <string.h>

#include "base/err.h"
#include "tuner/access.h"
#include "tuner/ir.h"
#include "tuner/proof.h"
#include "tuner/rewrite.h"
#include "tuner/row.h"
#include "tuner/walk.h"

enum { PARTS_MAX = 4096, ROWS_MAX = 16, BLOCK_MAX = 1 << 20, BLOCK = 4096 };

struct scan {
	struct kernel *k;
	struct variant *v;
	struct stmt *loop;
	struct accesses list;
	const char *sum;
	const char *type;
	size_t update; /* its place in the body */
};

/* The cut: `nr` parts of `length` iterations from `start` on. */
struct cut {
	struct expr *start;
	struct expr *length;
	long nr;
	const char *totals;
	bool is_rows;
};

static struct expr *name_of(const struct scan *s, const char *name)
{
	return expr_name(s->k->a, name);
}

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

static bool is_needed(const struct scan *s, const char *name)
{
	const struct stmt *body = s->loop->items[0];
	for (size_t i = 0; i <= s->update; i++)
		if (stmt_uses(body->items[i], name) && (i == s->update || body->items[i]->decl))
			return true;
	return false;
}

/* The update and the locals that it is computed from. */
static struct stmt *summand(const struct scan *s)
{
	struct stmt *out = stmt_new(s->k->a, STMT_BLOCK);
	const struct stmt *body = s->loop->items[0];
	for (size_t i = 0; i < s->update; i++)
		if (body->items[i]->decl && is_needed(s, body->items[i]->decl->name))
			stmt_add(s->k->a, out, stmt_clone(s->k->a, body->items[i]));
	stmt_add(s->k->a, out, stmt_clone(s->k->a, body->items[s->update]));
	return out;
}

static const char *check_summand(const struct scan *s)
{
	struct inputs in = { .s = s };
	struct stmt *part = summand(s);
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

static struct loop count_to(const struct scan *s, const char *var, long nr, const char *suffix)
{
	struct arena *a = s->k->a;
	return (struct loop){ .type = "int64_t",
			      .var = var,
			      .label = arena_printf(a, "%s%s", s->loop->loop->label, suffix),
			      .lo = expr_number(a, 0),
			      .hi = expr_number(a, nr),
			      .step = 1 };
}

/* start + part * length */
static struct expr *place_in(const struct scan *s, const struct cut *c, const char *part)
{
	struct arena *a = s->k->a;
	struct expr *offset = expr_binary(a, "*", name_of(s, part), expr_clone(a, c->length));
	return expr_binary(a, "+", expr_clone(a, c->start), offset);
}

static struct loop part_header(const struct scan *s, const struct cut *c)
{
	struct loop h = *s->loop->loop;
	h.var = fresh_name(s->k, s->v, arena_printf(s->k->a, "%s_at", h.var));
	h.lo = expr_number(s->k->a, 0);
	h.hi = expr_clone(s->k->a, c->length);
	return h;
}

/* The body behind a declaration of the old counter's value. Its name is new, for a name that counts
 * elsewhere has no one value. */
static struct stmt *with_counter(const struct scan *s, const struct cut *c, const char *part,
				 const char *at, struct stmt *body)
{
	struct arena *a = s->k->a;
	const struct loop *l = s->loop->loop;
	struct stmt *out = stmt_new(a, STMT_BLOCK);
	struct expr *value = expr_binary(a, "+", place_in(s, c, part), name_of(s, at));
	const char *now = fresh_name(s->k, s->v, arena_printf(a, "%s_now", l->var));
	stmt_substitute(a, body, name_of(s, l->var), name_of(s, now));
	stmt_add(a, out, stmt_decl(a, l->type, now, value));
	for (size_t i = 0; i < body->nr; i++)
		stmt_add(a, out, body->items[i]);
	return out;
}

static struct expr *total_at(const struct scan *s, const struct cut *c, const char *part)
{
	return expr_index(s->k->a, name_of(s, c->totals), name_of(s, part));
}

static const char *fresh(const struct scan *s, const char *suffix)
{
	return fresh_name(s->k, s->v, arena_printf(s->k->a, "%s_%s", s->sum, suffix));
}

/* for (part) { T total = 0; for (i...) total += f(i); totals[part] = total; } */
static struct stmt *sum_parts(const struct scan *s, const struct cut *c, const char *part)
{
	struct arena *a = s->k->a;
	const char *total = fresh(s, "total");
	struct loop outer = count_to(s, part, c->nr, c->is_rows ? "u" : "t");
	struct loop inner = part_header(s, c);
	struct stmt *add = with_counter(s, c, part, inner.var, summand(s));
	struct stmt *body = stmt_new(a, STMT_BLOCK);
	stmt_substitute(a, add, name_of(s, s->sum), name_of(s, total));
	inner.label = arena_printf(a, c->is_rows ? "%sus" : "%sts", s->loop->loop->label);
	stmt_add(a, body, stmt_decl(a, s->type, total, expr_number(a, 0)));
	stmt_add(a, body, stmt_loop(a, &inner, add));
	stmt_add(a, body,
		 stmt_expr(a, expr_assign(a, "=", total_at(s, c, part), name_of(s, total))));
	return stmt_loop(a, &outer, body);
}

/* for (part) { T total = totals[part]; totals[part] = s; s += total; } */
static struct stmt *sum_before(const struct scan *s, const struct cut *c, const char *part)
{
	struct arena *a = s->k->a;
	const char *total = fresh(s, "total");
	struct loop outer = count_to(s, part, c->nr, c->is_rows ? "v" : "b");
	struct stmt *body = stmt_new(a, STMT_BLOCK);
	stmt_add(a, body, stmt_decl(a, s->type, total, total_at(s, c, part)));
	stmt_add(a, body,
		 stmt_expr(a, expr_assign(a, "=", total_at(s, c, part), name_of(s, s->sum))));
	stmt_add(a, body,
		 stmt_expr(a, expr_assign(a, "+=", name_of(s, s->sum), name_of(s, total))));
	return stmt_loop(a, &outer, body);
}

/* for (part) { T own = totals[part]; for (i...) body; }: the inner loop keeps the label. */
static struct stmt *run_parts(const struct scan *s, const struct cut *c, const char *part)
{
	struct arena *a = s->k->a;
	const char *own = fresh(s, "own");
	struct loop outer = count_to(s, part, c->nr, "c");
	struct loop inner = part_header(s, c);
	struct stmt *again = stmt_clone(a, s->loop->items[0]);
	struct stmt *body = stmt_new(a, STMT_BLOCK);
	again = with_counter(s, c, part, inner.var, again);
	stmt_substitute(a, again, name_of(s, s->sum), name_of(s, own));
	stmt_add(a, body, stmt_decl(a, s->type, own, total_at(s, c, part)));
	stmt_add(a, body, stmt_loop(a, &inner, again));
	return stmt_loop(a, &outer, body);
}

/* for (at < length) for (row) body at start + row * length + at, the sum in totals[row]. */
static struct stmt *run_rows(const struct scan *s, const struct cut *c, const char *part)
{
	struct arena *a = s->k->a;
	struct loop outer = part_header(s, c);
	struct loop inner = count_to(s, part, c->nr, "s");
	struct stmt *again = stmt_clone(a, s->loop->items[0]);
	stmt_substitute(a, again, name_of(s, s->sum), total_at(s, c, part));
	inner.unroll = (unsigned)c->nr;
	again = with_counter(s, c, part, outer.var, again);
	return stmt_loop(a, &outer, stmt_loop(a, &inner, again));
}

static struct stmt *totals_decl(const struct scan *s, struct cut *c)
{
	struct arena *a = s->k->a;
	c->totals = fresh(s, "parts");
	struct stmt *d = stmt_decl(a, s->type, c->totals, NULL);
	d->decl->dims = arena_array(a, 1, sizeof(*d->decl->dims));
	d->decl->dims[0] = expr_number(a, c->nr);
	d->decl->nr_dims = 1;
	return d;
}

/* Long parts. The length is a variable where it is no number, for one symbol is easier to reason
 * about than a quotient. */
static void cut_parts(struct scan *s, struct stmt *out, long nr)
{
	struct arena *a = s->k->a;
	struct cut c = { .start = s->loop->loop->lo, .nr = nr };
	int64_t trips = loop_trips(s->v, s->loop, a);
	const char *part = fresh_name(s->k, s->v, "part");
	c.length = expr_number(a, trips / nr);
	stmt_add(a, out, totals_decl(s, &c));
	if (trips < 0) {
		struct expr *length =
			expr_binary(a, "/", loop_count(s->v, s->loop, a), expr_number(a, nr));
		const char *name = fresh_name(s->k, s->v, "part_length");
		stmt_add(a, out, stmt_decl(a, "const int64_t", name, length));
		c.length = name_of(s, name);
	}
	stmt_add(a, out, sum_parts(s, &c, part));
	stmt_add(a, out, sum_before(s, &c, part));
	stmt_add(a, out, run_parts(s, &c, part));
}

/* Blocks of `size` iterations in rows. */
static void cut_rows(struct scan *s, struct stmt *out, long nr, long size)
{
	struct arena *a = s->k->a;
	struct loop blocks = *s->loop->loop;
	struct cut c = { .is_rows = true, .nr = nr, .length = expr_number(a, size / nr) };
	const char *row = fresh_name(s->k, s->v, "row");
	struct stmt *body = stmt_new(a, STMT_BLOCK);
	blocks.var = fresh_name(s->k, s->v, arena_printf(a, "%s_block", blocks.var));
	blocks.hi = loop_whole(s->v, s->loop, size, a);
	blocks.step = size;
	blocks.label = arena_printf(a, "%sk", blocks.label);
	c.start = name_of(s, blocks.var);
	stmt_add(a, body, totals_decl(s, &c));
	stmt_add(a, body, sum_parts(s, &c, row));
	stmt_add(a, body, sum_before(s, &c, row));
	stmt_add(a, body, run_rows(s, &c, row));
	stmt_add(a, out, stmt_loop(a, &blocks, body));
}

static const char *get_numbers(const struct row *row, long *parts, long *rows, long *block)
{
	struct err e = { 0 };
	*parts = *rows = 0;
	*block = BLOCK;
	if (!row_get(row, "parts") && !row_get(row, "u"))
		return "it needs parts= or u=";
	if ((row_get(row, "parts") && row_get_number(row, "parts", 2, PARTS_MAX, parts, &e) < 0) ||
	    (row_get(row, "u") && row_get_number(row, "u", 2, ROWS_MAX, rows, &e) < 0) ||
	    (row_get(row, "block") && row_get_number(row, "block", 2, BLOCK_MAX, block, &e) < 0))
		return "its numbers are out of range";
	return *rows && *block % *rows ? "block must be a multiple of u" : NULL;
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

static const char *apply_to(struct kernel *k, struct variant *v, struct stmt *loop,
			    const struct row *row)
{
	struct scan s = { .k = k, .v = v, .loop = loop };
	long parts;
	long rows;
	long block;
	const char *why = get_numbers(row, &parts, &rows, &block);
	if (!why)
		why = check(&s);
	if (!why && rows)
		why = check_rows(&s, block * (parts ? parts : 1));
	if (!why && is_short(&s, parts))
		why = "it has fewer iterations than parts";
	if (why)
		return why;
	struct stmt *out = stmt_new(k->a, STMT_BLOCK);
	if (parts)
		cut_parts(&s, out, parts);
	else
		cut_rows(&s, out, rows, block);
	why = put(&s, out, parts ? parts : block);
	if (why || !parts || !rows)
		return why;
	s.loop = kernel_loop(v, loop->loop->label);
	out = stmt_new(k->a, STMT_BLOCK);
	why = check(&s);
	if (!why)
		cut_rows(&s, out, rows, block);
	return why ? why : put(&s, out, block);
}

int row_scan(struct kernel *k, const struct row *row, struct err *e)
{
	return row_apply_each(k, row, apply_to, e);
}
