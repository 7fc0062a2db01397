#include "tuner/walk.h"

/* Recursion is as deep as the tree, whose depth the parser limits. */

#include <ctype.h>
#include <string.h>

#include "base/str.h"
#include "tuner/ir.h"

void walk_expr(const struct walk *w, const struct expr *e)
{
	if (!e || (w->see_expr && !w->see_expr(w->ctx, e)))
		return;
	for (size_t i = 0; i < e->nr; i++)
		walk_expr(w, e->items[i]);
}

static void walk_decl(const struct walk *w, const struct decl *d)
{
	for (size_t i = 0; i < d->nr_dims; i++)
		walk_expr(w, d->dims[i]);
	walk_expr(w, d->init);
}

void walk_stmt(const struct walk *w, const struct stmt *s)
{
	if (!s || (w->see_stmt && !w->see_stmt(w->ctx, s)))
		return;
	if (s->loop) {
		walk_expr(w, s->loop->lo);
		walk_expr(w, s->loop->hi);
	}
	if (s->decl)
		walk_decl(w, s->decl);
	walk_stmt(w, s->init);
	walk_expr(w, s->expr);
	walk_expr(w, s->step);
	for (size_t i = 0; i < s->nr; i++)
		walk_stmt(w, s->items[i]);
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

bool text_has_name(const char *text, const char *name)
{
	size_t len = strlen(name);
	for (const char *at = strstr(text, name); at; at = strstr(at + 1, name)) {
		bool begins = at == text || !is_word(at[-1]);
		if (begins && !is_word(at[len]))
			return true;
	}
	return false;
}

struct question {
	const char *name;
	bool is_found;
};

static bool see_use(void *ctx, const struct expr *e)
{
	struct question *q = ctx;
	bool is_text = e->kind == EXPR_TEXT || e->kind == EXPR_CAST;
	if (expr_is_name(e, q->name) || (is_text && text_has_name(e->text, q->name)))
		q->is_found = true;
	return !q->is_found;
}

static bool is_step(const struct expr *e)
{
	return e->kind == EXPR_POSTFIX || (e->kind == EXPR_UNARY && (strcmp(e->text, "++") == 0 ||
								     strcmp(e->text, "--") == 0));
}

static bool see_change(void *ctx, const struct expr *e)
{
	struct question *q = ctx;
	bool is_address = e->kind == EXPR_UNARY && strcmp(e->text, "&") == 0;
	if ((e->kind == EXPR_ASSIGN || is_step(e) || is_address) &&
	    expr_is_name(e->items[0], q->name))
		q->is_found = true;
	return !q->is_found;
}

static bool see_opaque_name(void *ctx, const struct stmt *s)
{
	struct question *q = ctx;
	if (s->kind == STMT_OPAQUE && text_has_name(s->text, q->name))
		q->is_found = true;
	return !q->is_found;
}

static bool see_stmt_change(void *ctx, const struct stmt *s)
{
	struct question *q = ctx;
	if (s->kind == STMT_LOOP && str_equal(s->loop->var, q->name))
		q->is_found = true;
	return see_opaque_name(ctx, s);
}

static bool see_declaration(void *ctx, const struct stmt *s)
{
	struct question *q = ctx;
	if ((s->kind == STMT_DECL && str_equal(s->decl->name, q->name)) ||
	    (s->kind == STMT_LOOP && str_equal(s->loop->var, q->name)))
		q->is_found = true;
	return !q->is_found;
}

static bool see_opaque(void *ctx, const struct stmt *s)
{
	struct question *q = ctx;
	q->is_found = q->is_found || s->kind == STMT_OPAQUE;
	return !q->is_found;
}

static bool ask_expr(const struct expr *e, const char *name,
		     bool (*see)(void *ctx, const struct expr *e))
{
	struct question q = { .name = name };
	walk_expr(&(struct walk){ .ctx = &q, .see_expr = see }, e);
	return q.is_found;
}

bool expr_uses(const struct expr *e, const char *name)
{
	return ask_expr(e, name, see_use);
}

bool expr_changes(const struct expr *e, const char *name)
{
	return ask_expr(e, name, see_change);
}

bool stmt_uses(const struct stmt *s, const char *name)
{
	struct question q = { .name = name };
	walk_stmt(&(struct walk){ &q, see_use, see_opaque_name }, s);
	return q.is_found;
}

bool stmt_changes(const struct stmt *s, const char *name)
{
	struct question q = { .name = name };
	walk_stmt(&(struct walk){ &q, see_change, see_stmt_change }, s);
	return q.is_found;
}

bool stmt_declares(const struct stmt *s, const char *name)
{
	struct question q = { .name = name };
	walk_stmt(&(struct walk){ &q, NULL, see_declaration }, s);
	return q.is_found;
}

bool stmt_has_opaque(const struct stmt *s)
{
	struct question q = { 0 };
	walk_stmt(&(struct walk){ &q, NULL, see_opaque }, s);
	return q.is_found;
}

struct expr *expr_rewrite(struct expr *e, change_fn change, void *ctx)
{
	if (!e)
		return NULL;
	for (size_t i = 0; i < e->nr; i++)
		e->items[i] = expr_rewrite(e->items[i], change, ctx);
	return change(ctx, e);
}

void stmt_rewrite(struct stmt *s, change_fn change, void *ctx)
{
	if (!s)
		return;
	if (s->loop) {
		s->loop->lo = expr_rewrite(s->loop->lo, change, ctx);
		s->loop->hi = expr_rewrite(s->loop->hi, change, ctx);
	}
	if (s->decl) {
		for (size_t i = 0; i < s->decl->nr_dims; i++)
			s->decl->dims[i] = expr_rewrite(s->decl->dims[i], change, ctx);
		s->decl->init = expr_rewrite(s->decl->init, change, ctx);
	}
	stmt_rewrite(s->init, change, ctx);
	s->expr = expr_rewrite(s->expr, change, ctx);
	s->step = expr_rewrite(s->step, change, ctx);
	for (size_t i = 0; i < s->nr; i++)
		stmt_rewrite(s->items[i], change, ctx);
}
