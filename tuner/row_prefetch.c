#include "tuner/kernel.h"

/* The head of a loop's body asks the cache for what the body will read some iterations later. An
 * address may be anything, but what it is computed from may not: where it reads another array, the
 * iteration that is looked at is at most the last one. */

#include <string.h>

#include "base/err.h"
#include "tuner/access.h"
#include "tuner/ir.h"
#include "tuner/rewrite.h"
#include "tuner/row.h"
#include "tuner/walk.h"

enum { AHEAD_MAX = 4096, LINES_MAX = 64, LINE_BYTES = 64, RESOLVE_DEPTH = 8 };

static bool see_index(void *ctx, const struct expr *e)
{
	bool *is_found = ctx;
	*is_found = *is_found || e->kind == EXPR_INDEX;
	return !*is_found;
}

static bool has_index(const struct expr *e)
{
	bool is_found = false;
	walk_expr(&(struct walk){ .ctx = &is_found, .see_expr = see_index }, e);
	return is_found;
}

static bool see_odd(void *ctx, const struct expr *e)
{
	bool *is_found = ctx;
	*is_found = *is_found || e->kind == EXPR_CALL || e->kind == EXPR_ASSIGN ||
		    e->kind == EXPR_POSTFIX || e->kind == EXPR_CHOICE || e->kind == EXPR_TEXT ||
		    (e->kind == EXPR_BINARY && strchr("/%", e->text[0])) ||
		    (e->kind == EXPR_UNARY && strcmp(e->text, "-") != 0);
	return !*is_found;
}

/* Plain arithmetic that can not fail. */
static bool is_plain(const struct expr *e)
{
	bool is_found = false;
	walk_expr(&(struct walk){ .ctx = &is_found, .see_expr = see_odd }, e);
	return !is_found;
}

struct names {
	const struct stmt *loop;
	const struct access *x;
	struct arena *a;
	bool is_open; /* a name is left that means nothing at the head of the body */
};

static const struct decl *find_decl(const struct stmt *s, const char *name)
{
	if (s->decl)
		return strcmp(s->decl->name, name) == 0 ? s->decl : NULL;
	for (size_t i = 0; i < s->nr; i++) {
		const struct decl *d = find_decl(s->items[i], name);
		if (d)
			return d;
	}
	return NULL;
}

/* A local of the body stands for what it is set to, an inner counter for its start. */
static struct expr *resolve(void *ctx, struct expr *e)
{
	struct names *n = ctx;
	if (e->kind != EXPR_NAME || !stmt_declares(n->loop->items[0], e->text))
		return e;
	for (size_t i = 1; i < n->x->nr_loops; i++)
		if (strcmp(n->x->loops[i].stmt->loop->var, e->text) == 0)
			return expr_clone(n->a, n->x->loops[i].stmt->loop->lo);
	const struct decl *d = find_decl(n->loop->items[0], e->text);
	if (d && d->init && !d->nr_dims && !stmt_changes(n->loop->items[0], e->text))
		return expr_clone(n->a, d->init);
	n->is_open = true;
	return e;
}

static bool uses_local(const struct stmt *loop, const struct expr *e)
{
	if (e->kind == EXPR_NAME &&
	    (stmt_declares(loop->items[0], e->text) || stmt_changes(loop->items[0], e->text)))
		return true;
	for (size_t i = 0; i < e->nr; i++)
		if (uses_local(loop, e->items[i]))
			return true;
	return false;
}

/* The element at the head of the body, NULL when it can not be told there. */
static struct expr *element_at_head(const struct stmt *loop, const struct access *x,
				    struct arena *a)
{
	struct names n = { .loop = loop, .x = x, .a = a };
	struct expr *e = expr_clone(a, x->at);
	for (int depth = 0; depth < RESOLVE_DEPTH && !n.is_open && uses_local(loop, e); depth++)
		e = expr_rewrite(e, resolve, &n);
	return n.is_open || uses_local(loop, e) || !is_plain(e) ? NULL : e;
}

/* i + ahead, or the last iteration if that comes first. */
static struct expr *later(const struct loop *l, long ahead, bool is_clamped, struct arena *a)
{
	struct expr *at =
		expr_binary(a, "+", expr_name(a, l->var), expr_number(a, ahead * l->step));
	if (!is_clamped)
		return at;
	struct expr *e = expr_new(a, EXPR_CHOICE, "?", 3);
	e->items[0] = expr_binary(a, "<", at, expr_clone(a, l->hi));
	e->items[1] = expr_clone(a, at);
	e->items[2] = expr_name(a, l->var);
	return e;
}

/* Whether every iteration of the loop comes to the access. */
static bool is_always_read(const struct stmt *loop, const struct access *x)
{
	for (size_t i = 1; i < x->nr_loops; i++) {
		struct poly length = poly_subtract(&x->loops[i].hi, &x->loops[i].lo);
		int64_t span;
		if (!poly_is_number(&length, &span) || span <= 0)
			return false;
	}
	return !x->is_conditional && !stmt_has_jump(loop);
}

static const char *pick(const struct stmt *loop, const struct accesses *list, const char *array,
			struct arena *a, struct expr **out)
{
	const char *why = "the array is not read there";
	for (size_t i = 0; i < list->nr; i++) {
		const struct access *x = list->items[i];
		if (strcmp(x->array, array) != 0)
			continue;
		struct expr *e = element_at_head(loop, x, a);
		if (!e)
			why = "what it reads is not known at the head of the loop";
		else if (!expr_uses(e, loop->loop->var))
			why = "it reads the same in all iterations";
		else if (has_index(e->items[1]) && !is_always_read(loop, x))
			why = "not every iteration may read it";
		else
			return *out = e, NULL;
	}
	return why;
}

static struct stmt *prefetch(struct expr *element, struct expr *beyond, struct arena *a)
{
	struct expr *address = expr_new(a, EXPR_UNARY, "&", 1);
	struct expr *call = expr_new(a, EXPR_CALL, "(", 2);
	address->items[0] = expr_clone(a, element);
	struct expr **at = &address->items[0]->items[1];
	*at = expr_binary(a, "+", *at, beyond);
	call->items[0] = expr_name(a, "__builtin_prefetch");
	call->items[1] = address;
	return stmt_expr(a, call);
}

/* `now` for the subscript, in a variable where it is a choice. */
static void add_to_head(struct stmt *loop, struct stmt *first, struct stmt *second, struct arena *a)
{
	struct stmt *body = stmt_body(a, loop);
	struct stmt *out = stmt_new(a, STMT_BLOCK);
	if (first)
		stmt_add(a, out, first);
	stmt_add(a, out, second);
	for (size_t i = 0; i < body->nr; i++)
		stmt_add(a, out, body->items[i]);
	loop->items[0] = out;
}

struct numbers {
	long ahead;
	long lines;
};

static void rewrite(const struct kernel *k, const struct variant *v, struct stmt *loop,
		    struct expr *element, const struct numbers *n)
{
	struct arena *a = k->a;
	const struct loop *l = loop->loop;
	bool is_clamped = has_index(element->items[1]);
	struct expr *at = later(l, n->ahead, is_clamped, a);
	struct stmt *decl = NULL;
	if (is_clamped) {
		const char *name = fresh_name(k, v, arena_printf(a, "%s_later", l->var));
		decl = stmt_decl(a, l->type, name, at);
		at = expr_name(a, name);
	}
	struct stmt *holder = stmt_expr(a, element);
	stmt_substitute(a, holder, expr_name(a, l->var), at);
	const char *type = element_type(v, holder->expr->items[0]->text);
	int64_t line = LINE_BYTES / (type ? element_bytes(type) : LINE_BYTES);
	struct loop lines = { .type = "int64_t",
			      .var = fresh_name(k, v, "line"),
			      .label = arena_printf(a, "%sf", l->label),
			      .lo = expr_number(a, 0),
			      .hi = expr_number(a, n->lines * line),
			      .step = line };
	struct expr *beyond = n->lines > 1 ? expr_name(a, lines.var) : expr_number(a, 0);
	struct stmt *ask = prefetch(holder->expr, beyond, a);
	add_to_head(loop, decl, n->lines > 1 ? stmt_loop(a, &lines, ask) : ask, a);
}

static const char *apply_to(struct kernel *k, struct variant *v, struct stmt *loop,
			    const struct row *row)
{
	struct numbers n = { .lines = 1 };
	struct accesses list;
	struct expr *element = NULL;
	struct err e = { 0 };
	if (row_get_number(row, "ahead", 1, AHEAD_MAX, &n.ahead, &e) < 0 ||
	    (row_get(row, "lines") && row_get_number(row, "lines", 1, LINES_MAX, &n.lines, &e) < 0))
		return arena_strdup(k->a, e.text);
	accesses_collect(&list, &v->view, loop, k->a);
	if (list.trouble || list.has_exit)
		return list.trouble ? list.trouble : "it may be left early";
	const char *why = pick(loop, &list, row_get(row, "array"), k->a, &element);
	if (!why && element->items[0]->kind != EXPR_NAME)
		why = "it has several subscripts";
	if (!why)
		rewrite(k, v, loop, element, &n);
	return why;
}

int row_prefetch(struct kernel *k, const struct row *row, struct err *e)
{
	return row_apply_each(k, row, apply_to, e);
}
