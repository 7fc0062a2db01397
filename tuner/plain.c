#include "tuner/plain.h"

/* An index that differs from iteration to iteration would otherwise need a place for each of them,
 * and subscripts through it would tell nobody how they move. */

#include <stdbool.h>
#include <string.h>

#include "base/mem.h"
#include "tuner/cnormal.h"
#include "tuner/ir.h"
#include "tuner/rewrite.h"
#include "tuner/walk.h"

struct scope_check {
	const struct stmt *scope;
	bool is_pointer;
	bool is_broken;
};

/* Arithmetic on names that keep their values in the scope. */
static bool see_value(void *ctx, const struct expr *e)
{
	struct scope_check *c = ctx;
	bool is_step = e->kind == EXPR_BINARY && !e->text[1] && strchr("+-*/%", e->text[0]);
	bool is_wide = e->kind == EXPR_CAST && type_is_integer(e->text);
	bool is_address = c->is_pointer && (e->kind == EXPR_INDEX ||
					    (e->kind == EXPR_UNARY && strcmp(e->text, "&") == 0));
	bool is_number = e->kind == EXPR_NUMBER && e->is_integer;
	bool is_name = e->kind == EXPR_NAME && !stmt_changes(c->scope, e->text);
	if (!is_step && !is_wide && !is_address && !is_number && !is_name)
		c->is_broken = true;
	return !c->is_broken;
}

static bool is_arithmetic(const struct expr *e, const struct stmt *scope, bool is_pointer)
{
	struct scope_check c = { .scope = scope, .is_pointer = is_pointer };
	walk_expr(&(struct walk){ .ctx = &c, .see_expr = see_value }, e);
	return !c.is_broken;
}

/* Types in which arithmetic does not wrap around earlier than in an index. */
static bool is_index(const char *type)
{
	return type_is_integer(type) && !text_has_name(type, "char") &&
	       !text_has_name(type, "short") && !strstr(type, "int8") && !strstr(type, "int16") &&
	       !text_has_name(type, "uint32_t") && !text_has_name(type, "unsigned") &&
	       !text_has_name(type, "static");
}

/* p, p + i, &p[i]: what a local pointer may be set to. */
static bool is_place(const struct expr *e)
{
	if (e->kind == EXPR_UNARY && strcmp(e->text, "&") == 0)
		return e->items[0]->kind == EXPR_INDEX && e->items[0]->items[0]->kind == EXPR_NAME;
	while (e->kind == EXPR_BINARY && strcmp(e->text, "+") == 0)
		e = e->items[0];
	return e->kind == EXPR_NAME;
}

static bool gives_way(const struct stmt *scope, const struct stmt *s, const char *counter)
{
	const struct decl *d = s->decl;
	if (s->kind != STMT_DECL || d->nr_dims || !d->init || stmt_changes(scope, d->name))
		return false;
	if (*d->stars)
		return d->stars[0] == '*' && d->stars[1] != '*' && is_place(d->init) &&
		       is_arithmetic(d->init, scope, true);
	return is_index(d->type) && expr_uses(d->init, counter) &&
	       is_arithmetic(d->init, scope, false);
}

/* (p + i)[j] becomes p[i + j], (&p[i])[j] likewise. */
static struct expr *fold_place(void *ctx, struct expr *e)
{
	struct arena *a = ctx;
	if (e->kind != EXPR_INDEX)
		return e;
	struct expr *base = e->items[0];
	if (base->kind == EXPR_UNARY && strcmp(base->text, "&") == 0)
		base = base->items[0];
	bool is_moved = (base->kind == EXPR_BINARY && strcmp(base->text, "+") == 0) ||
			(base != e->items[0] && base->kind == EXPR_INDEX);
	if (!is_moved)
		return e;
	struct expr *by = expr_binary(a, "+", base->items[1], e->items[1]);
	return fold_place(ctx, expr_index(a, base->items[0], by));
}

static void drop_locals(struct arena *a, struct stmt *s, const char *counter)
{
	const struct stmt nothing = { .kind = STMT_BLOCK };
	for (size_t i = 0; s->kind == STMT_BLOCK && i < s->nr;) {
		const struct decl *d = s->items[i]->decl;
		if (!gives_way(s, s->items[i], counter)) {
			i++;
			continue;
		}
		stmt_splice(a, s, i, &nothing);
		stmt_substitute(a, s, expr_name(a, d->name), d->init);
		stmt_rewrite(s, fold_place, a);
	}
	for (size_t i = 0; i < s->nr; i++)
		drop_locals(a, s->items[i], counter);
}

static bool is_skip(const struct stmt *s)
{
	const struct stmt *only = s->kind == STMT_IF && s->nr == 1 ? stmt_only(s->items[0]) : NULL;
	return only && only->kind == STMT_JUMP && strcmp(only->text, "continue") == 0;
}

/* `body` is the block of a loop, or what is left of it behind a skip. */
static void drop_skip(struct arena *a, struct stmt *body)
{
	for (size_t i = 0; i < body->nr; i++) {
		struct stmt *s = body->items[i];
		if (!is_skip(s))
			continue;
		struct stmt *left = stmt_new(a, STMT_BLOCK);
		for (size_t j = i + 1; j < body->nr; j++)
			stmt_add(a, left, body->items[j]);
		struct expr *negation = expr_new(a, EXPR_UNARY, "!", 1);
		negation->items[0] = s->expr;
		s->expr = negation;
		s->items[0] = left;
		body->nr = i + 1;
		drop_skip(a, left);
	}
}

static void drop_skips(struct arena *a, struct stmt *s)
{
	if (s->kind == STMT_LOOP)
		drop_skip(a, stmt_body(a, s));
	for (size_t i = 0; i < s->nr; i++)
		drop_skips(a, s->items[i]);
}

void plain_body(struct arena *a, struct stmt *body, const char *counter)
{
	drop_skip(a, body);
	drop_skips(a, body);
	drop_locals(a, body, counter);
}
