#include "tuner/push.h"

/* Everything here works on the cut's own copy: when it gives up half way, nobody has seen it.
 * "Varying" is what may differ among the iterations of a strip: the strip's counter and the locals
 * of the body, except for those whose initialisers do not vary. */

#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "tuner/cut.h"
#include "tuner/env.h"
#include "tuner/kernel.h"
#include "tuner/rewrite.h"
#include "tuner/walk.h"

enum { VARYING_MAX = 128, EXPAND_MAX = 1 << 16 };

struct push {
	struct cut *cut;
	struct arena *a;
	enum loop_role role;
	const char *varying[VARYING_MAX];
	size_t nr_varying;
	unsigned nr_ends;
	const char *trouble;
};

static struct stmt *push_block(struct push *p, const struct stmt *block);

static void add_varying(struct push *p, const char *name)
{
	if (p->nr_varying == VARYING_MAX)
		p->trouble = "its body has too many variables";
	else
		p->varying[p->nr_varying++] = name;
}

static bool varies(const struct push *p, const struct expr *e)
{
	if (expr_uses(e, p->cut->var))
		return true;
	for (size_t i = 0; i < p->nr_varying; i++)
		if (expr_uses(e, p->varying[i]))
			return true;
	return false;
}

/* A jump that leaves `s`, or a return. */
static bool has_jump(const struct stmt *s, bool is_inside_loop)
{
	if (s->kind == STMT_JUMP)
		return !is_inside_loop || s->text[0] == 'r';
	bool is_loop = s->kind == STMT_LOOP || s->kind == STMT_FOR || s->kind == STMT_WHILE ||
		       s->kind == STMT_DO;
	for (size_t i = 0; i < s->nr; i++)
		if (has_jump(s->items[i], is_inside_loop || is_loop))
			return true;
	return false;
}

static bool body_has_jump(const struct stmt *loop)
{
	for (size_t i = 0; i < loop->nr; i++)
		if (has_jump(loop->items[i], false))
			return true;
	return false;
}

/* Strips stay around plain statements; lanes go inside the registers. */
static bool is_whole(const struct push *p, const struct loop *l)
{
	return l->role == LOOP_LANES || (l->role == LOOP_REGISTERS && p->role != LOOP_LANES);
}

/* The strip goes inside the statement and not around it. */
static bool is_open(const struct push *p, const struct stmt *s)
{
	switch (s->kind) {
	case STMT_BLOCK:
		return true;
	case STMT_LOOP:
		return !is_whole(p, s->loop) && !varies(p, s->loop->lo) &&
		       !varies(p, s->loop->hi) && !body_has_jump(s);
	case STMT_IF:
		return !varies(p, s->expr);
	case STMT_FOR:
	case STMT_WHILE:
	case STMT_DO:
	case STMT_EXPR:
	case STMT_DECL:
	case STMT_JUMP:
	case STMT_OPAQUE:
		return false;
	}
	return false;
}

/* A declaration that is the same for all iterations of a strip. */
static bool is_common(const struct push *p, const struct stmt *block, const struct stmt *s)
{
	if (s->kind == STMT_DECL && text_has_name(s->decl->type, "static"))
		return text_has_name(s->decl->type, "const");
	return s->kind == STMT_DECL && s->decl->init && !s->decl->nr_dims &&
	       !varies(p, s->decl->init) && !stmt_changes(block, s->decl->name);
}

static struct stmt *as_block(struct arena *a, struct stmt *s)
{
	if (s->kind == STMT_BLOCK)
		return s;
	struct stmt *block = stmt_new(a, STMT_BLOCK);
	stmt_add(a, block, s);
	return block;
}

static struct stmt *push_open(struct push *p, struct stmt *s)
{
	if (s->kind == STMT_BLOCK)
		return push_block(p, s);
	if (s->loop) {
		s->loop->is_simd = false;
		s->loop->unroll = 0;
	}
	for (size_t i = 0; i < s->nr; i++)
		s->items[i] = push_block(p, as_block(p->a, s->items[i]));
	return s;
}

/* The block under construction and its last strip, NULL when the next statement opens a new one. */
struct groups {
	struct stmt *out;
	struct stmt *strip;
};

static void add_to_group(struct push *p, struct groups *g, struct stmt *s)
{
	if (has_jump(s, false))
		p->trouble = "it holds a jump";
	if (s->kind == STMT_DECL)
		add_varying(p, s->decl->name);
	if (!g->strip) {
		g->strip = cut_strip(p->cut, p->role);
		stmt_add(p->a, g->out, g->strip);
	}
	stmt_add(p->a, g->strip->items[0], s);
}

/* In front of the strip under construction, which depends on nothing that is declared later. */
static void add_common(struct push *p, struct groups *g, struct stmt *s)
{
	stmt_add(p->a, g->out, s);
	if (!g->strip)
		return;
	g->out->items[g->out->nr - 2] = s;
	g->out->items[g->out->nr - 1] = g->strip;
}

/* slope of e in the strip's counter: 1 up, -1 down, 0 not seen. */
static int direction(const struct push *p, const struct expr *e)
{
	if (expr_is_name(e, p->cut->var))
		return 1;
	if (e->kind != EXPR_BINARY || e->text[1])
		return 0;
	bool is_left = expr_uses(e->items[0], p->cut->var);
	if (is_left && expr_uses(e->items[1], p->cut->var))
		return 0;
	const struct expr *other = e->items[is_left ? 1 : 0];
	bool is_scale = e->text[0] == '*' && other->kind == EXPR_NUMBER && other->value > 0;
	int inner = direction(p, e->items[is_left ? 0 : 1]);
	if (e->text[0] == '+' || is_scale)
		return inner;
	return e->text[0] == '-' ? (is_left ? inner : -inner) : 0;
}

static bool is_triangle(const struct push *p, const struct stmt *s)
{
	if (s->kind != STMT_LOOP || is_whole(p, s->loop) || varies(p, s->loop->lo) ||
	    body_has_jump(s))
		return false;
	for (size_t i = 0; i < p->nr_varying; i++)
		if (expr_uses(s->loop->hi, p->varying[i]))
			return false;
	return direction(p, s->loop->hi) != 0;
}

/* Whether lo <= end wherever the cut loop runs. */
static bool is_above(const struct push *p, const struct expr *end, const struct expr *lo)
{
	AUTO_FREE struct env *env = xmalloc(sizeof(*env));
	struct facts facts = { 0 };
	if (!env_open(env, &p->cut->v->view, p->cut->loop, p->a))
		return false;
	env_facts(env, &facts);
	struct poly high = env_poly(env, end);
	struct poly low = env_poly(env, lo);
	struct poly length = poly_subtract(&high, &low);
	return poly_is_nonnegative(&length, &facts);
}

static struct expr *at_least(const struct push *p, struct expr *e, const struct expr *least)
{
	if (is_above(p, e, least))
		return e;
	struct expr *choice = expr_new(p->a, EXPR_CHOICE, "?", 3);
	choice->items[0] = expr_binary(p->a, ">", expr_clone(p->a, e), expr_clone(p->a, least));
	choice->items[1] = e;
	choice->items[2] = expr_clone(p->a, least);
	return choice;
}

static struct expr *fold(void *ctx, struct expr *e)
{
	return e->kind == EXPR_BINARY ? expr_binary(ctx, e->text, e->items[0], e->items[1]) : e;
}

/* The first value of the counter that is not below `end`. */
static struct expr *round_up(struct arena *a, struct expr *end, const struct loop *l)
{
	if (l->step == 1)
		return end;
	struct expr *span = expr_binary(a, "-", end, expr_clone(a, l->lo));
	span = expr_binary(a, "+", span, expr_number(a, l->step - 1));
	struct expr *nr = expr_binary(a, "/", span, expr_number(a, l->step));
	struct expr *up = expr_binary(a, "*", nr, expr_number(a, l->step));
	return expr_binary(a, "+", expr_clone(a, l->lo), up);
}

/* The end that all iterations of a strip have in common, in a variable. */
static struct stmt *common_end(struct push *p, const struct loop *l)
{
	struct arena *a = p->a;
	int64_t shortest = direction(p, l->hi) > 0 ? 0 : p->cut->u - 1;
	struct stmt end = { .kind = STMT_EXPR, .expr = expr_clone(a, l->hi) };
	stmt_substitute(a, &end, expr_name(a, p->cut->var), expr_number(a, shortest));
	end.expr = expr_rewrite(end.expr, fold, a);
	const char *name = arena_printf(a, "%s_end", l->var);
	if (p->nr_ends++)
		name = arena_printf(a, "%s%u", name, p->nr_ends);
	return stmt_decl(a, l->type, fresh_name(p->cut->k, p->cut->v, name),
			 round_up(a, at_least(p, end.expr, l->lo), l));
}

/* A loop whose end moves with the strip's counter: what all iterations have in common is pushed
 * into, and each runs its own rest in the strip behind it. */
static void add_triangle(struct push *p, struct groups *g, struct stmt *s)
{
	struct stmt *rest = stmt_clone(p->a, s);
	struct stmt *end = common_end(p, s->loop);
	add_common(p, g, end);
	s->loop->hi = expr_name(p->a, end->decl->name);
	rest->loop->lo = expr_name(p->a, end->decl->name);
	stmt_relabel(p->a, rest, "r");
	cut_rename(p->cut, rest);
	g->strip = NULL;
	stmt_add(p->a, g->out, push_open(p, s));
	add_to_group(p, g, rest);
}

static bool is_strip(const struct push *p, const struct stmt *s)
{
	return s->kind == STMT_LOOP && strcmp(s->loop->var, p->cut->var) == 0;
}

static bool is_used_elsewhere(const struct stmt *out, size_t strip, const char *name)
{
	for (size_t i = 0; i < out->nr; i++)
		if (i != strip && stmt_uses(out->items[i], name))
			return true;
	return false;
}

/* How a local is subscripted once it has an element for each iteration. */
struct expansion {
	struct arena *a;
	const char *name;
	const char *counter;
	size_t nr_dims; /* subscripts in front of the new one */
};

static struct expr *expand_use(void *ctx, struct expr *e)
{
	const struct expansion *x = ctx;
	const struct expr *base = e;
	size_t nr = 0;
	for (; base->kind == EXPR_INDEX; base = base->items[0])
		nr++;
	if (nr != x->nr_dims || !expr_is_name(base, x->name))
		return e;
	return expr_index(x->a, e, expr_name(x->a, x->counter));
}

static const char *check_expansion(const struct push *p, const struct decl *d)
{
	int64_t size = p->cut->u;
	if (*d->stars || text_has_name(d->type, "static"))
		return arena_printf(p->a, "%s can not become an array", d->name);
	if (d->init && (d->nr_dims || d->init->kind == EXPR_LIST))
		return arena_printf(p->a, "%s is an array with initial values", d->name);
	for (size_t i = 0; i < d->nr_dims; i++) {
		if (!d->dims[i]->is_integer || d->dims[i]->value > EXPAND_MAX)
			return arena_printf(p->a, "the length of %s is no number", d->name);
		size *= d->dims[i]->value;
		if (size > EXPAND_MAX)
			return arena_printf(p->a, "%s would become too large", d->name);
	}
	return NULL;
}

/* The lanes' subscript is the last, any other the first. */
static struct stmt *expanded_decl(const struct push *p, const struct decl *d)
{
	static const char word[] = "const ";
	bool is_const = strncmp(d->type, word, strlen(word)) == 0;
	bool is_last = p->role == LOOP_LANES;
	struct stmt *s =
		stmt_decl(p->a, is_const ? arena_strdup(p->a, d->type + strlen(word)) : d->type,
			  d->name, NULL);
	s->decl->nr_dims = d->nr_dims + 1;
	s->decl->dims = arena_array(p->a, s->decl->nr_dims, sizeof(*s->decl->dims));
	for (size_t i = 0; i < d->nr_dims; i++)
		s->decl->dims[i + !is_last] = d->dims[i];
	s->decl->dims[is_last ? d->nr_dims : 0] = expr_number(p->a, p->cut->u);
	return s;
}

/* What is left of the declaration in the strip: the assignment of its initial value. */
static void replace_decl(struct push *p, struct stmt *body, size_t at)
{
	const struct decl *d = body->items[at]->decl;
	struct stmt left = { .kind = STMT_BLOCK };
	if (d->init) {
		struct expr *set = expr_assign(p->a, "=", expr_name(p->a, d->name), d->init);
		stmt_add(p->a, &left, stmt_expr(p->a, set));
	}
	stmt_splice(p->a, body, at, &left);
}

static void expand(struct push *p, struct stmt *out, struct stmt *decls, struct stmt *body,
		   size_t at)
{
	const struct decl *d = body->items[at]->decl;
	struct expansion x = { p->a, d->name, p->cut->var, p->role == LOOP_LANES ? d->nr_dims : 0 };
	p->trouble = p->trouble ? p->trouble : check_expansion(p, d);
	stmt_add(p->a, decls, expanded_decl(p, d));
	replace_decl(p, body, at);
	for (size_t i = 0; i < out->nr; i++) {
		stmt_rewrite(out->items[i], expand_use, &x);
		stmt_drop_reduction(out->items[i], d->name);
	}
}

static void expand_strip(struct push *p, struct stmt *out, size_t strip, struct stmt *decls)
{
	struct stmt *body = out->items[strip]->items[0];
	for (size_t i = 0; i < body->nr;) {
		const struct stmt *s = body->items[i];
		if (s->kind == STMT_DECL && is_used_elsewhere(out, strip, s->decl->name))
			expand(p, out, decls, body, i);
		else
			i++;
	}
}

/* The arrays in front, then the groups; strips that held declarations alone are gone. */
static struct stmt *finish_block(struct push *p, struct stmt *out)
{
	struct stmt *block = stmt_new(p->a, STMT_BLOCK);
	for (size_t i = 0; i < out->nr; i++)
		if (is_strip(p, out->items[i]))
			expand_strip(p, out, i, block);
	for (size_t i = 0; i < out->nr; i++)
		if (!is_strip(p, out->items[i]) || out->items[i]->items[0]->nr)
			stmt_add(p->a, block, out->items[i]);
	return block;
}

static struct stmt *push_block(struct push *p, const struct stmt *block)
{
	struct groups g = { .out = stmt_new(p->a, STMT_BLOCK) };
	for (size_t i = 0; i < block->nr && !p->trouble; i++) {
		struct stmt *s = block->items[i];
		if (is_common(p, block, s)) {
			add_common(p, &g, s);
		} else if (is_open(p, s)) {
			g.strip = NULL;
			stmt_add(p->a, g.out, push_open(p, s));
		} else if (is_triangle(p, s)) {
			add_triangle(p, &g, s);
		} else {
			add_to_group(p, &g, s);
		}
	}
	return finish_block(p, g.out);
}

const char *push_strips(struct cut *c, enum loop_role role)
{
	struct push p = { .cut = c, .a = c->k->a, .role = role };
	if (stmt_has_opaque(c->main))
		return "it holds a statement that is not understood";
	c->main->items[0] = push_block(&p, c->main->items[0]);
	return p.trouble;
}
