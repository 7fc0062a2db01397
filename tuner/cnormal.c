#include "tuner/cnormal.h"

/* A loop is canonical when its bound can be computed once in front of it: nothing in the body may
 * change the counter or anything the bound reads. Whatever is in doubt stays STMT_FOR. */

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "tuner/cparse.h"
#include "tuner/ir.h"
#include "tuner/walk.h"

enum { NAMES_MAX = 256 };

bool type_is_integer(const char *type)
{
	static const char *const words[] = { "int",      "long",     "short",    "char",
					     "unsigned", "signed",   "size_t",   "ptrdiff_t",
					     "ssize_t",  "int64_t",  "int32_t",  "int16_t",
					     "int8_t",   "uint64_t", "uint32_t", "uint16_t",
					     "uint8_t",  "intptr_t", "uintptr_t" };
	if (text_has_name(type, "float") || text_has_name(type, "double"))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (text_has_name(type, words[i]))
			return true;
	return false;
}

/* Names in scope while the tree is walked; a scope ends by cutting nr back. */
struct scope {
	const char *names[NAMES_MAX];
	size_t nr;
	const char *twice; /* the first name that was declared again, or NULL */
};

static void scope_add(struct scope *s, const char *name)
{
	for (size_t i = 0; i < s->nr; i++)
		if (strcmp(s->names[i], name) == 0 && !s->twice)
			s->twice = name;
	if (s->nr == NAMES_MAX)
		s->twice = name;
	else
		s->names[s->nr++] = name;
}

static void check_scope(struct scope *scope, const struct stmt *s)
{
	size_t nr = scope->nr;
	if (s->kind == STMT_DECL) {
		scope_add(scope, s->decl->name);
		return;
	}
	for (size_t i = 0; s->init && i < s->init->nr; i++)
		check_scope(scope, s->init->items[i]);
	if (s->kind == STMT_LOOP)
		scope_add(scope, s->loop->var);
	for (size_t i = 0; i < s->nr; i++)
		check_scope(scope, s->items[i]);
	scope->nr = nr;
}

/* "i = lo" as the init of a for statement. */
static const struct expr *for_assigns(const struct stmt *s, const char *name)
{
	if (s->kind != STMT_FOR || s->init->nr != 1 || s->init->items[0]->kind != STMT_EXPR)
		return NULL;
	const struct expr *e = s->init->items[0]->expr;
	bool is_plain = e && e->kind == EXPR_ASSIGN && strcmp(e->text, "=") == 0 &&
			expr_is_name(e->items[0], name) && !expr_uses(e->items[1], name);
	return is_plain ? e : NULL;
}

struct counter {
	const char *name;
	bool is_used;  /* by a loop of its own */
	bool is_loose; /* used outside of its loops, or changed inside one */
};

static bool see_counter_stmt(void *ctx, const struct stmt *s)
{
	struct counter *c = ctx;
	if (s->kind == STMT_OPAQUE && text_has_name(s->text, c->name))
		c->is_loose = true;
	if (!for_assigns(s, c->name))
		return !c->is_loose;
	c->is_used = true;
	if (stmt_changes(s->items[0], c->name) || (s->expr && expr_changes(s->expr, c->name)))
		c->is_loose = true;
	return false;
}

static bool see_counter_expr(void *ctx, const struct expr *e)
{
	struct counter *c = ctx;
	c->is_loose = c->is_loose || expr_uses(e, c->name);
	return false;
}

static void declare_in_loops(struct arena *a, struct stmt *s, const struct decl *d)
{
	const struct expr *e = for_assigns(s, d->name);
	if (e)
		s->init->items[0] = stmt_decl(a, d->type, d->name, e->items[1]);
	for (size_t i = 0; i < s->nr; i++)
		declare_in_loops(a, s->items[i], d);
}

static bool is_counter(const struct stmt *s, const struct stmt *scope)
{
	const struct decl *d = s->decl;
	if (s->kind != STMT_DECL || *d->stars || d->nr_dims || !type_is_integer(d->type) ||
	    (d->init && d->init->kind != EXPR_NUMBER))
		return false;
	struct counter c = { .name = d->name };
	walk_stmt(&(struct walk){ &c, see_counter_expr, see_counter_stmt }, scope);
	return c.is_used && !c.is_loose;
}

/* A counter that is only ever used by "for (i = ...)" moves into these loops. */
static void move_counters(struct arena *a, struct stmt *s)
{
	for (size_t i = 0; i < s->nr; i++)
		move_counters(a, s->items[i]);
	if (s->kind != STMT_BLOCK)
		return;
	for (size_t i = 0; i < s->nr;) {
		if (!is_counter(s->items[i], s)) {
			i++;
			continue;
		}
		struct stmt *gone = s->items[i];
		struct stmt nothing = { .kind = STMT_BLOCK };
		stmt_splice(a, s, i, &nothing);
		declare_in_loops(a, s, gone->decl);
	}
}

static bool is_step_of(const struct expr *e, const char *var, int64_t *step)
{
	if (!e || !e->nr || !expr_is_name(e->items[0], var))
		return false;
	*step = 1;
	if ((e->kind == EXPR_POSTFIX || e->kind == EXPR_UNARY) && strcmp(e->text, "++") == 0)
		return true;
	if (e->kind != EXPR_ASSIGN)
		return false;
	const struct expr *by = e->items[1];
	if (strcmp(e->text, "=") == 0 && by->kind == EXPR_BINARY && strcmp(by->text, "+") == 0 &&
	    expr_is_name(by->items[0], var))
		by = by->items[1];
	else if (strcmp(e->text, "+=") != 0)
		return false;
	*step = by->value;
	return by->kind == EXPR_NUMBER && by->is_integer && by->value > 0 && by->value < 1 << 20;
}

struct bound {
	const struct stmt *body;
	bool is_unsafe;
};

struct writes {
	const char *base;
	bool is_found;
};

/* Any write but one to a plain variable; what is written to is what is left without subscripts. */
static bool see_write(void *ctx, const struct expr *e)
{
	struct writes *w = ctx;
	bool is_step = (e->kind == EXPR_UNARY || e->kind == EXPR_POSTFIX) &&
		       (strcmp(e->text, "++") == 0 || strcmp(e->text, "--") == 0);
	bool is_address = e->kind == EXPR_UNARY && strcmp(e->text, "&") == 0;
	if ((e->kind != EXPR_ASSIGN && !is_step && !is_address) || e->items[0]->kind == EXPR_NAME)
		return !w->is_found;
	const struct expr *target = e->items[0];
	while (target->kind == EXPR_INDEX)
		target = target->items[0];
	w->is_found = w->is_found || expr_uses(target, w->base);
	return !w->is_found;
}

/* Whether an element of the array may be written below: a write whose target names it. */
static bool writes_array(const struct stmt *body, const char *base)
{
	struct writes w = { .base = base };
	walk_stmt(&(struct walk){ &w, see_write, NULL }, body);
	return w.is_found;
}

static bool see_bound(void *ctx, const struct expr *e)
{
	struct bound *b = ctx;
	bool is_harmless = e->kind == EXPR_NUMBER || e->kind == EXPR_NAME ||
			   e->kind == EXPR_BINARY || e->kind == EXPR_CAST ||
			   e->kind == EXPR_INDEX || e->kind == EXPR_CHOICE ||
			   (e->kind == EXPR_UNARY && strchr("+-~!", e->text[0]) && !e->text[1]);
	if (!is_harmless)
		b->is_unsafe = true;
	if (e->kind == EXPR_NAME &&
	    (stmt_changes(b->body, e->text) || writes_array(b->body, e->text)))
		b->is_unsafe = true;
	return !b->is_unsafe;
}

static bool is_stable(const struct expr *hi, const struct stmt *body)
{
	struct bound b = { .body = body };
	walk_expr(&(struct walk){ .ctx = &b, .see_expr = see_bound }, hi);
	return !b.is_unsafe;
}

static bool is_bound_of(const struct expr *e, const char *var)
{
	return e && e->kind == EXPR_BINARY && expr_is_name(e->items[0], var) &&
	       (strcmp(e->text, "<") == 0 || strcmp(e->text, "<=") == 0) &&
	       !expr_uses(e->items[1], var);
}

static const char *without_const(struct arena *a, const char *type)
{
	return str_starts(type, "const ") ? arena_strdup(a, type + strlen("const ")) : type;
}

/* What a pragma in front of the loop asks for, see lexeme_is_hint. */
static void read_hint(struct arena *a, struct loop *l, const char *hint)
{
	static const char simd[] = "omp simd";
	const char *lanes = strstr(hint, simd);
	const char *unroll = strstr(hint, "unroll ");
	if (lanes) {
		lanes += strlen(simd);
		lanes += strspn(lanes, " ");
		l->is_simd = true;
		l->reduction = *lanes ? arena_strdup(a, lanes) : NULL;
	} else if (unroll) {
		l->unroll = (unsigned)strtoul(unroll + strlen("unroll "), NULL, 10);
	}
}

/* Turn the statement into STMT_LOOP if it is one. */
static void make_loop(struct arena *a, struct stmt *s)
{
	int64_t step;
	if (s->kind != STMT_FOR || s->init->nr != 1 || s->init->items[0]->kind != STMT_DECL)
		return;
	const struct decl *d = s->init->items[0]->decl;
	if (*d->stars || d->nr_dims || !d->init || !type_is_integer(d->type) ||
	    !is_bound_of(s->expr, d->name) || !is_step_of(s->step, d->name, &step) ||
	    stmt_changes(s->items[0], d->name) || !is_stable(s->expr->items[1], s->items[0]))
		return;
	struct loop *l = arena_alloc(a, sizeof(*l));
	bool is_inclusive = s->expr->text[1] == '=';
	l->type = without_const(a, d->type);
	l->var = d->name;
	l->lo = d->init;
	l->hi = s->expr->items[1];
	l->step = step;
	if (is_inclusive)
		l->hi = expr_binary(a, "+", l->hi, expr_number(a, 1));
	if (s->text)
		read_hint(a, l, s->text);
	s->kind = STMT_LOOP;
	s->loop = l;
	s->text = NULL;
	s->init = NULL;
	s->expr = s->step = NULL;
}

static void make_loops(struct arena *a, struct stmt *s)
{
	for (size_t i = 0; i < s->nr; i++)
		make_loops(a, s->items[i]);
	make_loop(a, s);
}

static bool is_any_loop(const struct stmt *s)
{
	return s->kind == STMT_LOOP || s->kind == STMT_FOR || s->kind == STMT_WHILE ||
	       s->kind == STMT_DO;
}

static void label_loops(struct arena *a, struct stmt *s, const char *prefix, unsigned *next)
{
	unsigned inner = 0;
	if (is_any_loop(s)) {
		prefix = arena_printf(a, "%s%u", prefix, (*next)++);
		if (s->loop)
			s->loop->label = prefix;
		prefix = arena_printf(a, "%s.", prefix);
		next = &inner;
	}
	for (size_t i = 0; i < s->nr; i++)
		label_loops(a, s->items[i], prefix, next);
}

int function_normalise(struct function *f, struct arena *a, struct err *e)
{
	struct scope scope = { 0 };
	unsigned next = 0;
	move_counters(a, f->body);
	make_loops(a, f->body);
	label_loops(a, f->body, "L", &next);
	for (size_t i = 0; i < f->nr_params; i++)
		scope_add(&scope, f->params[i].name);
	check_scope(&scope, f->body);
	if (scope.twice)
		return err_set(e, ERR_INPUT, "%s is declared again inside its scope", scope.twice);
	return 0;
}
