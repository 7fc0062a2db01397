#include "tuner/cut.h"

/* With an open trip count the last full strip begins at hi - u*step: written so (and not as a
 * rounded quotient), the analysis can still show that no strip reaches beyond hi. That difference
 * may be negative, so everything in the bounds must be signed. */

#include <string.h>

#include "base/mem.h"
#include "tuner/env.h"
#include "tuner/kernel.h"
#include "tuner/rewrite.h"
#include "tuner/walk.h"

struct sign_check {
	const struct env *env;
	bool is_broken;
};

static bool is_signed_type(const char *type)
{
	static const char *const words[] = { "unsigned",  "size_t",   "uint64_t",
					     "uint32_t",  "uint16_t", "uint8_t",
					     "uintptr_t", "float",    "double" };
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (text_has_name(type, words[i]))
			return false;
	return true;
}

static const char *meaning_type(const struct meaning *m)
{
	if (!m)
		return NULL;
	if (m->param)
		return m->param->type;
	return m->decl ? m->decl->type : m->loop->loop->type;
}

static bool see_sign(void *ctx, const struct expr *e)
{
	struct sign_check *c = ctx;
	const char *type = e->kind == EXPR_CAST   ? e->text
			   : e->kind == EXPR_NAME ? meaning_type(env_find(c->env, e->text))
						  : "int";
	bool is_number = e->kind == EXPR_NUMBER && e->is_integer && !strpbrk(e->text, "uU");
	if (!type || !is_signed_type(type) || (e->kind == EXPR_NUMBER && !is_number) ||
	    e->kind == EXPR_TEXT || e->kind == EXPR_CALL || e->kind == EXPR_MEMBER)
		c->is_broken = true;
	return !c->is_broken;
}

static bool has_signed_bounds(const struct cut *c, const struct stmt *loop)
{
	AUTO_FREE struct env *env = xmalloc(sizeof(*env));
	struct sign_check check = { .env = env };
	if (!env_open(env, &c->v->view, loop, c->k->a))
		return false;
	walk_expr(&(struct walk){ .ctx = &check, .see_expr = see_sign }, loop->loop->lo);
	walk_expr(&(struct walk){ .ctx = &check, .see_expr = see_sign }, loop->loop->hi);
	return !check.is_broken && is_signed_type(loop->loop->type);
}

struct renaming {
	const struct cut *cut;
	struct stmt *copy;
	bool has_arrays;
};

/* Free in the body and in the copy, which may hold names that the body does not have yet. */
static const char *own_name(const struct renaming *r, const char *name)
{
	const char *own;
	do {
		name = arena_printf(r->cut->k->a, "%s_r", name);
		own = fresh_name(r->cut->k, r->cut->v, name);
	} while (stmt_uses(r->copy, own) || stmt_declares(r->copy, own));
	return own;
}

static bool see_local(void *ctx, const struct stmt *s)
{
	const struct renaming *r = ctx;
	if (s->kind == STMT_DECL && (r->has_arrays || !s->decl->nr_dims))
		stmt_rename(r->cut->k->a, r->copy, s->decl->name, own_name(r, s->decl->name));
	return true;
}

void cut_rename(const struct cut *c, struct stmt *copy)
{
	struct renaming names = { c, copy, true };
	walk_stmt(&(struct walk){ &names, NULL, see_local }, copy);
}

/* The copy behind main: relabelled, on one thread, and its variables have names of their own: those
 * of main may become arrays. */
static struct stmt *make_rest(const struct cut *c, const struct stmt *of, struct expr *lo)
{
	struct stmt *rest = stmt_clone(c->k->a, of);
	struct renaming names = { c, rest, of == c->main };
	rest->loop->lo = lo;
	rest->loop->threads = 0;
	stmt_relabel(c->k->a, rest, "r");
	walk_stmt(&(struct walk){ &names, NULL, see_local }, rest);
	return rest;
}

static void cut_at(struct cut *c, int64_t full)
{
	struct arena *a = c->k->a;
	struct loop *l = c->main->loop;
	l->hi = expr_binary(a, "+", expr_clone(a, l->lo),
			    expr_number(a, full * c->loop->loop->step));
	c->rest = make_rest(c, c->loop, expr_clone(a, l->hi));
}

/* lo + (hi - lo) / strip * strip */
static void cut_open_range(struct cut *c)
{
	struct arena *a = c->k->a;
	struct loop *l = c->main->loop;
	struct expr *span = expr_binary(a, "-", expr_clone(a, l->hi), expr_clone(a, l->lo));
	struct expr *nr = expr_binary(a, "/", span, expr_number(a, l->step));
	struct expr *full = expr_binary(a, "*", nr, expr_number(a, l->step));
	c->rest = make_rest(c, c->loop, expr_binary(a, "+", expr_clone(a, l->lo), full));
	l->hi = expr_binary(a, "-", l->hi, expr_number(a, l->step - 1));
}

const char *cut_open(struct cut *c, struct kernel *k, struct variant *v, const struct stmt *loop,
		     int64_t u)
{
	int64_t trips = loop_trips(v, loop, k->a);
	*c = (struct cut){ .k = k, .v = v, .loop = loop, .u = u };
	if (trips >= 0 && trips < u)
		return "it has fewer iterations than a strip";
	if (trips < 0 && !has_signed_bounds(c, loop))
		return "its bounds are not known to be signed";
	c->var = fresh_name(k, v, arena_printf(k->a, "%s_s", loop->loop->var));
	c->main = stmt_clone(k->a, loop);
	c->main->loop->step *= u;
	c->main->loop->is_simd = false;
	c->main->loop->unroll = 0;
	if (trips < 0)
		cut_open_range(c);
	else if (trips % u)
		cut_at(c, trips / u * u);
	stmt_body(k->a, c->main);
	return NULL;
}

void cut_overlap(struct cut *c)
{
	struct arena *a = c->k->a;
	const struct loop *l = c->loop->loop;
	int64_t trips = loop_trips(c->v, c->loop, a);
	if (!c->rest || trips < c->u)
		return;
	struct expr *lo = expr_plus(a, expr_clone(a, l->lo), (trips - c->u) * l->step);
	c->rest = make_rest(c, c->main, lo);
	c->rest->loop->hi = expr_clone(a, l->hi);
}

void cut_beyond(struct cut *c)
{
	c->main->loop->hi = expr_clone(c->k->a, c->loop->loop->hi);
	c->rest = NULL;
}

void cut_shift(struct cut *c)
{
	struct arena *a = c->k->a;
	const struct loop *l = c->loop->loop;
	struct expr *by = expr_binary(a, "*", expr_name(a, c->var), expr_number(a, l->step));
	struct expr *to = expr_binary(a, "+", expr_name(a, l->var), by);
	stmt_substitute(a, c->main->items[0], expr_name(a, l->var), to);
}

static const char *strip_label(struct cut *c)
{
	const char *label;
	do {
		c->nr_strips++;
		label = arena_printf(c->k->a, "%ss", c->loop->loop->label);
		if (c->nr_strips > 1)
			label = arena_printf(c->k->a, "%s%u", label, c->nr_strips);
	} while (kernel_loop(c->v, label));
	return label;
}

struct stmt *cut_strip(struct cut *c, enum loop_role role)
{
	struct arena *a = c->k->a;
	struct stmt *strip = stmt_new(a, STMT_LOOP);
	strip->loop = arena_alloc(a, sizeof(*strip->loop));
	*strip->loop = (struct loop){ .label = strip_label(c),
				      .type = c->loop->loop->type,
				      .var = c->var,
				      .lo = expr_number(a, 0),
				      .hi = expr_number(a, c->u),
				      .step = 1,
				      .role = role };
	stmt_add(a, strip, stmt_new(a, STMT_BLOCK));
	return strip;
}

static void add_all(struct arena *a, struct stmt *block, const struct stmt *more)
{
	for (size_t i = 0; more && i < more->nr; i++)
		stmt_add(a, block, more->items[i]);
}

void cut_commit(const struct cut *c, const struct stmt *before, const struct stmt *after)
{
	struct arena *a = c->k->a;
	struct stmt *block = stmt_new(a, STMT_BLOCK);
	struct place at;
	add_all(a, block, before);
	stmt_add(a, block, c->main);
	if (c->rest)
		stmt_add(a, block, c->rest);
	add_all(a, block, after);
	if (!place_find(c->v->body, c->loop, &at))
		return;
	if (at.parent->kind == STMT_BLOCK)
		stmt_splice(a, at.parent, at.at, block);
	else
		at.parent->items[at.at] = block->nr == 1 ? c->main : block;
}
