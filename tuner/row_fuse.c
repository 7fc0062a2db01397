#include "tuner/kernel.h"

/* Two loops that stand one behind the other become one, the second a few iterations late. Where the
 * bodies are rows of their own, one loop with guards does; else the ends are split off, so that the
 * common part stays free of branches:
 *	for (i...) A(i); for (i...) B(i);   ->   A(lo); for (i = lo + 1...) { A(i); B(i - 1); } B(hi
 *- 1);
 */

#include <string.h>

#include "base/err.h"
#include "tuner/fusion.h"
#include "tuner/ir.h"
#include "tuner/rewrite.h"
#include "tuner/row.h"
#include "tuner/walk.h"

enum { FUSE_FIRST, FUSE_SECOND };

struct pair {
	struct kernel *k;
	struct variant *v;
	struct stmt *loops[2];
	struct sweep sweeps[2];
	int64_t lo; /* the second starts so much later than the first, its delay counted in */
	int64_t hi;
	int64_t delay;
};

static bool is_change(const struct expr *e)
{
	bool is_step = e->kind == EXPR_UNARY &&
		       (e->text[0] == '&' || !strcmp(e->text, "++") || !strcmp(e->text, "--"));
	return e->kind == EXPR_ASSIGN || e->kind == EXPR_POSTFIX || is_step;
}

static bool writes_memory(const struct expr *e)
{
	if (is_change(e) && e->items[0]->kind != EXPR_NAME)
		return true;
	for (size_t i = 0; i < e->nr; i++)
		if (writes_memory(e->items[i]))
			return true;
	return false;
}

struct between {
	const struct sweep *first;
	bool is_tied;
};

static bool see_tie(void *ctx, const struct expr *e)
{
	struct between *b = ctx;
	const struct stmt *loop = b->first->loop;
	bool is_element = e->kind == EXPR_INDEX;
	const struct expr *base = is_element ? e->items[0] : NULL;
	if (e->kind == EXPR_UNARY && e->text[0] == '*')
		b->is_tied = true;
	if (is_element && (base->kind != EXPR_NAME || accesses_writes(&b->first->list, base->text)))
		b->is_tied = true;
	if (e->kind == EXPR_NAME && stmt_changes(loop, e->text))
		b->is_tied = true;
	if (is_change(e) && e->items[0]->kind == EXPR_NAME && stmt_uses(loop, e->items[0]->text))
		b->is_tied = true;
	return !b->is_tied;
}

/* Whether a statement behind the first loop may as well stand in front of it. */
static bool may_move(const struct sweep *first, const struct stmt *s)
{
	struct between b = { .first = first };
	const struct expr *e = s->kind == STMT_DECL ? s->decl->init : s->expr;
	if (s->kind != STMT_DECL && s->kind != STMT_EXPR)
		return false;
	if (s->kind == STMT_DECL && *s->decl->stars)
		return !e || !writes_memory(e);
	walk_stmt(&(struct walk){ .ctx = &b, .see_expr = see_tie }, s);
	return !b.is_tied && (!e || !writes_memory(e));
}

static size_t find_next(const struct place *at)
{
	size_t i = at->at + 1;
	while (i < at->parent->nr && at->parent->items[i]->kind != STMT_LOOP)
		i++;
	return i;
}

/* The counter of a stage, `delay` behind the front, named anew unless the front can stand for it.
 */
static void add_stage(const struct pair *p, unsigned which, const char *front, struct stmt *into)
{
	struct arena *a = p->k->a;
	struct stmt *loop = p->loops[which];
	struct loop *l = loop->loop;
	struct stmt *body = stmt_body(a, loop);
	int64_t delay = which == FUSE_SECOND ? p->delay : 0;
	const char *type = p->loops[FUSE_FIRST]->loop->type;
	if (!delay && strcmp(l->type, type) == 0) {
		stmt_substitute(a, body, expr_name(a, l->var), expr_name(a, front));
	} else {
		const char *late = fresh_name(p->k, p->v, arena_printf(a, "%s_late", l->var));
		struct expr *value =
			expr_binary(a, "-", expr_name(a, front), expr_number(a, delay));
		stmt_substitute(a, body, expr_name(a, l->var), expr_name(a, late));
		stmt_add(a, into, stmt_decl(a, arena_printf(a, "const %s", l->type), late, value));
	}
	for (size_t i = 0; i < body->nr; i++)
		stmt_add(a, into, body->items[i]);
}

/* Ends of the common part, counted by the front. */
static struct expr *core_lo(const struct pair *p)
{
	const struct loop *l = p->loops[p->lo >= 0]->loop;
	return expr_plus(p->k->a, expr_clone(p->k->a, l->lo), p->lo >= 0 ? p->delay : 0);
}

static struct expr *core_hi(const struct pair *p)
{
	const struct loop *l = p->loops[p->hi <= 0]->loop;
	return expr_plus(p->k->a, expr_clone(p->k->a, l->hi), p->hi <= 0 ? p->delay : 0);
}

/* Whether the common part is known to have iterations. */
static bool has_core(const struct pair *p)
{
	int64_t trips = loop_trips(p->v, p->loops[FUSE_FIRST], p->k->a);
	int64_t step = p->loops[FUSE_FIRST]->loop->step;
	int64_t gone = (p->lo > 0 ? p->lo : 0) + (p->hi < 0 ? -p->hi : 0);
	return gone == 0 || trips * step >= gone + step;
}

/* The lesser or, with ">", the greater of two. */
static struct expr *extreme(struct arena *a, const char *op, struct expr *x, struct expr *y)
{
	struct expr *e = expr_new(a, EXPR_CHOICE, "?", 3);
	e->items[0] = expr_binary(a, op, expr_clone(a, x), expr_clone(a, y));
	e->items[1] = x;
	e->items[2] = y;
	return e;
}

/* What one of the loops does alone before the common part, or after it. */
static struct stmt *make_end(const struct pair *p, bool is_before)
{
	struct arena *a = p->k->a;
	unsigned which = is_before ? p->lo < 0 : p->hi > 0;
	int64_t delay = which == FUSE_SECOND ? -p->delay : 0;
	struct stmt *end = stmt_clone(a, p->loops[which]);
	struct loop *l = end->loop;
	struct expr *to = expr_plus(a, core_lo(p), delay);
	struct expr *from = expr_plus(a, core_hi(p), delay);
	if (is_before)
		l->hi = has_core(p) ? to : extreme(a, "<", to, l->hi);
	else
		l->lo = has_core(p) ? from : extreme(a, ">", from, to);
	stmt_relabel(a, end, is_before ? "r" : "rr");
	return end;
}

static struct stmt *merge_split(struct pair *p)
{
	struct arena *a = p->k->a;
	struct stmt *block = stmt_new(a, STMT_BLOCK);
	struct stmt *core = p->loops[FUSE_FIRST];
	struct stmt *before = p->lo ? make_end(p, true) : NULL;
	struct stmt *after = p->hi ? make_end(p, false) : NULL;
	struct expr *lo = core_lo(p);
	struct expr *hi = core_hi(p);
	struct stmt *body = stmt_new(a, STMT_BLOCK);
	add_stage(p, FUSE_FIRST, core->loop->var, body);
	add_stage(p, FUSE_SECOND, core->loop->var, body);
	core->items[0] = body;
	core->loop->lo = lo;
	core->loop->hi = hi;
	if (before)
		stmt_add(a, block, before);
	stmt_add(a, block, core);
	if (after)
		stmt_add(a, block, after);
	return block;
}

static struct expr *compare(struct arena *a, const char *name, const char *op,
			    const struct expr *bound)
{
	return expr_binary(a, op, expr_name(a, name), expr_clone(a, bound));
}

/* Only the guards that the range of the common loop does not make needless. */
static void add_guarded(const struct pair *p, unsigned which, const char *front, struct stmt *into)
{
	struct arena *a = p->k->a;
	bool is_second = which == FUSE_SECOND;
	struct stmt *loop = p->loops[which];
	int64_t delay = is_second ? p->delay : 0;
	struct stmt *test = stmt_new(a, STMT_IF);
	struct stmt *body = stmt_new(a, STMT_BLOCK);
	struct expr *from = compare(a, front, ">=", expr_plus(a, loop->loop->lo, delay));
	struct expr *to = compare(a, front, "<", expr_plus(a, loop->loop->hi, delay));
	bool is_from = is_second ? p->lo > 0 : p->lo < 0;
	bool is_to = is_second ? p->hi < 0 : p->hi > 0;
	add_stage(p, which, front, body);
	test->expr = is_from && is_to ? expr_binary(a, "&&", from, to) : is_from ? from : to;
	stmt_add(a, test, body);
	if (is_from || is_to)
		stmt_add(a, into, test);
	for (size_t i = 0; !is_from && !is_to && i < body->nr; i++)
		stmt_add(a, into, body->items[i]);
}

static struct stmt *merge_guarded(struct pair *p)
{
	struct arena *a = p->k->a;
	struct stmt *core = p->loops[FUSE_FIRST];
	const struct loop *first = core->loop;
	const struct loop *second = p->loops[FUSE_SECOND]->loop;
	struct expr *lo = p->lo < 0 ? expr_plus(a, second->lo, p->delay) : first->lo;
	struct expr *hi = p->hi > 0 ? expr_plus(a, second->hi, p->delay) : first->hi;
	struct stmt *body = stmt_new(a, STMT_BLOCK);
	add_guarded(p, FUSE_FIRST, core->loop->var, body);
	add_guarded(p, FUSE_SECOND, core->loop->var, body);
	core->items[0] = body;
	core->loop->lo = expr_clone(a, lo);
	core->loop->hi = expr_clone(a, hi);
	return core;
}

static const char *study(struct pair *p, struct place *at, size_t next)
{
	struct arena *a = p->k->a;
	for (size_t i = 0; i < 2; i++) {
		const char *why = sweep_study(&p->sweeps[i], p->v, p->loops[i], a);
		if (why)
			return why;
	}
	if (!sweep_offsets(&p->sweeps[0], &p->sweeps[1], &p->lo, &p->hi))
		return "their bounds do not differ by a known number";
	for (size_t i = at->at + 1; i < next; i++)
		if (!may_move(&p->sweeps[0], at->parent->items[i]))
			return "what stands between them can not move in front";
	return NULL;
}

/* The least delay that is legal, or the one that is asked for. */
static const char *choose_delay(struct pair *p, const struct row *row)
{
	struct err e = { 0 };
	long shift;
	int64_t step = p->loops[0]->loop->step;
	p->delay = sweep_delay(&p->sweeps[0], &p->sweeps[1], p->k->a);
	if (row_get(row, "shift")) {
		if (row_get_number(row, "shift", 0, DELAY_MAX, &shift, &e) < 0)
			return "shift must be a number from 0 to 16";
		p->delay = shift * step;
	}
	const char *why =
		sweep_follows(&p->sweeps[0], &p->sweeps[1], p->delay < 0 ? 0 : p->delay, p->k->a);
	p->lo += p->delay;
	p->hi += p->delay;
	return !why && step != 1 && (p->lo || p->hi) ? "it does not count by one" : why;
}

/* The merged loops take the place of the first, what stood between comes in front. */
static void put(struct pair *p, struct place *at, size_t next, struct stmt *merged)
{
	struct arena *a = p->k->a;
	struct stmt *block = stmt_new(a, STMT_BLOCK);
	struct stmt nothing = { .kind = STMT_BLOCK };
	for (size_t i = at->at + 1; i < next; i++)
		stmt_add(a, block, at->parent->items[i]);
	if (merged->kind == STMT_BLOCK)
		for (size_t i = 0; i < merged->nr; i++)
			stmt_add(a, block, merged->items[i]);
	else
		stmt_add(a, block, merged);
	for (size_t i = next; i > at->at; i--)
		stmt_splice(a, at->parent, i, &nothing);
	stmt_splice(a, at->parent, at->at, block);
}

static const char *apply_to(struct kernel *k, struct variant *v, struct stmt *loop,
			    const struct row *row)
{
	struct pair p = { .k = k, .v = v, .loops = { loop } };
	struct place at;
	if (!place_find(v->body, loop, &at) || at.parent->kind != STMT_BLOCK)
		return "no loop follows it";
	size_t next = find_next(&at);
	if (next == at.parent->nr)
		return "no loop follows it";
	p.loops[FUSE_SECOND] = at.parent->items[next];
	const char *why = study(&p, &at, next);
	why = why ? why : choose_delay(&p, row);
	if (why)
		return why;
	bool is_nest = stmt_has_loop(p.loops[0]->items[0]) || stmt_has_loop(p.loops[1]->items[0]);
	sweep_part_names(k, v, p.loops[0], p.loops[1]);
	put(&p, &at, next, is_nest && (p.lo || p.hi) ? merge_guarded(&p) : merge_split(&p));
	return NULL;
}

int row_fuse(struct kernel *k, const struct row *row, struct err *e)
{
	return row_apply_each(k, row, apply_to, e);
}
