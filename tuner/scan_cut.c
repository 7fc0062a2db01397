#include "tuner/scan.h"

#include "base/mem.h"
#include "tuner/ir.h"
#include "tuner/kernel.h"
#include "tuner/rewrite.h"
#include "tuner/vtype.h"
#include "tuner/walk.h"

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

static bool is_needed(const struct scan *s, const char *name)
{
	const struct stmt *body = s->loop->items[0];
	for (size_t i = 0; i <= s->update; i++)
		if (stmt_uses(body->items[i], name) && (i == s->update || body->items[i]->decl))
			return true;
	return false;
}

struct stmt *scan_summand(const struct scan *s)
{
	struct stmt *out = stmt_new(s->k->a, STMT_BLOCK);
	const struct stmt *body = s->loop->items[0];
	for (size_t i = 0; i < s->update; i++)
		if (body->items[i]->decl && is_needed(s, body->items[i]->decl->name))
			stmt_add(s->k->a, out, stmt_clone(s->k->a, body->items[i]));
	stmt_add(s->k->a, out, stmt_clone(s->k->a, body->items[s->update]));
	return out;
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
	struct stmt *add = with_counter(s, c, part, inner.var, scan_summand(s));
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

/* What iteration `lane` of a block adds, into steps[lane]. */
static struct stmt *steps_of(const struct scan *s, const struct expr *step, const char *lane,
			     struct expr *now)
{
	struct arena *a = s->k->a;
	struct stmt *out = scan_summand(s);
	struct expr *added = out->items[out->nr - 1]->expr->items[1];
	struct loop lanes = count_to(s, lane, 0, "u");
	out->items[out->nr - 1] = stmt_expr(a, expr_assign(a, "=", expr_clone(a, step), added));
	stmt_substitute(a, out, name_of(s, s->loop->loop->var), now);
	lanes.role = LOOP_LANES;
	return stmt_loop(a, &lanes, out);
}

/* The body without the addition, the sum being that of the block and steps[lane]. */
static struct stmt *use_of_steps(const struct scan *s, const struct expr *step, const char *lane,
				 struct expr *now)
{
	struct arena *a = s->k->a;
	struct stmt *out = stmt_clone(a, s->loop->items[0]);
	struct expr *sum = expr_binary(a, "+", name_of(s, s->sum), expr_clone(a, step));
	struct loop lanes = count_to(s, lane, 0, "s");
	stmt_splice(a, out, s->update, stmt_new(a, STMT_BLOCK));
	stmt_substitute(a, out, name_of(s, s->sum), sum);
	stmt_substitute(a, out, name_of(s, s->loop->loop->var), now);
	lanes.role = LOOP_LANES;
	return stmt_loop(a, &lanes, out);
}

static struct stmt *lanes_of(struct stmt *loop, const struct vtype *t, struct arena *a)
{
	loop->loop->hi = expr_number(a, t->lanes);
	return loop;
}

/* for (block) { T steps[lanes]; steps[lane] = f(i); sums within steps; body; s += the last } */
void scan_cut_lanes(const struct scan *s, struct stmt *out, const struct vtype *t)
{
	struct arena *a = s->k->a;
	struct loop blocks = *s->loop->loop;
	const char *lane = fresh_name(s->k, s->v, "lane");
	struct stmt *body = stmt_new(a, STMT_BLOCK);
	struct stmt *steps = stmt_decl(a, s->type, fresh(s, "steps"), NULL);
	struct expr *array = name_of(s, steps->decl->name);
	struct expr *step = expr_index(a, array, name_of(s, lane));
	steps->decl->dims = arena_array(a, 1, sizeof(*steps->decl->dims));
	steps->decl->dims[0] = expr_number(a, t->lanes);
	steps->decl->nr_dims = 1;
	blocks.var = fresh_name(s->k, s->v, arena_printf(a, "%s_block", blocks.var));
	blocks.hi = loop_whole(s->v, s->loop, t->lanes, a);
	blocks.step = t->lanes;
	struct expr *now = expr_binary(a, "+", name_of(s, blocks.var), name_of(s, lane));
	stmt_add(a, body, steps);
	stmt_add(a, body, lanes_of(steps_of(s, step, lane, now), t, a));
	stmt_add(a, body, stmt_expr(a, vtype_call(t, s->k, "sums", &array, 1)));
	stmt_add(a, body, lanes_of(use_of_steps(s, step, lane, now), t, a));
	step = expr_index(a, array, expr_number(a, t->lanes - 1));
	stmt_add(a, body, stmt_expr(a, expr_assign(a, "+=", name_of(s, s->sum), step)));
	stmt_add(a, out, stmt_loop(a, &blocks, body));
}

/* Long parts. The length is a variable where it is no number, for one symbol is easier to reason
 * about than a quotient. It is a multiple of `unit`. */
void scan_cut_parts(const struct scan *s, struct stmt *out, long nr, long unit)
{
	struct arena *a = s->k->a;
	struct cut c = { .start = s->loop->loop->lo, .nr = nr };
	int64_t trips = loop_trips(s->v, s->loop, a);
	const char *part = fresh_name(s->k, s->v, "part");
	c.length = expr_number(a, trips / (nr * unit) * unit);
	stmt_add(a, out, totals_decl(s, &c));
	if (trips < 0) {
		struct expr *units = expr_binary(a, "/", loop_count(s->v, s->loop, a),
						 expr_number(a, nr * unit));
		struct expr *length = expr_binary(a, "*", units, expr_number(a, unit));
		const char *name = fresh_name(s->k, s->v, "part_length");
		stmt_add(a, out, stmt_decl(a, "const int64_t", name, length));
		c.length = name_of(s, name);
	}
	stmt_add(a, out, sum_parts(s, &c, part));
	stmt_add(a, out, sum_before(s, &c, part));
	stmt_add(a, out, run_parts(s, &c, part));
}

/* Blocks of `size` iterations in rows. */
void scan_cut_rows(const struct scan *s, struct stmt *out, long nr, long size)
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
