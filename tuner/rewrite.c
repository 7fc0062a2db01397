#include "tuner/rewrite.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "tuner/access.h"
#include "tuner/cparse.h"
#include "tuner/env.h"
#include "tuner/ir.h"
#include "tuner/kernel.h"
#include "tuner/row.h"
#include "tuner/ttask.h"
#include "tuner/walk.h"

bool place_find(struct stmt *body, const struct stmt *s, struct place *out)
{
	for (size_t i = 0; i < body->nr; i++) {
		if (body->items[i] == s) {
			*out = (struct place){ body, i };
			return true;
		}
		if (place_find(body->items[i], s, out))
			return true;
	}
	return false;
}

void place_put(struct arena *a, struct place at, struct stmt *block)
{
	if (at.parent->kind == STMT_BLOCK)
		stmt_splice(a, at.parent, at.at, block);
	else
		at.parent->items[at.at] = block;
}

bool stmt_is_below(const struct stmt *top, const struct stmt *s)
{
	if (top == s)
		return true;
	for (size_t i = 0; i < top->nr; i++)
		if (stmt_is_below(top->items[i], s))
			return true;
	return false;
}

static bool see_jump(void *ctx, const struct stmt *s)
{
	bool *is_found = ctx;
	*is_found = *is_found || s->kind == STMT_JUMP;
	return !*is_found;
}

bool stmt_has_jump(const struct stmt *s)
{
	bool is_found = false;
	walk_stmt(&(struct walk){ &is_found, NULL, see_jump }, s);
	return is_found;
}

struct stmt *loop_around(struct stmt *body, const struct stmt *s)
{
	struct stmt *found = NULL;
	for (struct stmt *at = body; at && at != s;) {
		struct stmt *below = NULL;
		for (size_t i = 0; i < at->nr && !below; i++)
			if (stmt_is_below(at->items[i], s))
				below = at->items[i];
		if (below && below != s && below->kind == STMT_LOOP)
			found = below;
		at = below;
	}
	return found;
}

struct stmt *stmt_only(struct stmt *body)
{
	while (body->kind == STMT_BLOCK && body->nr == 1)
		body = body->items[0];
	return body->kind == STMT_BLOCK ? NULL : body;
}

struct expr *expr_plus(struct arena *a, struct expr *e, int64_t by)
{
	bool is_sum = e->kind == EXPR_BINARY && !e->text[1] && strchr("+-", e->text[0]) &&
		      e->items[1]->kind == EXPR_NUMBER && e->items[1]->is_integer;
	if (is_sum && by) {
		int64_t at = e->items[1]->value;
		return expr_plus(a, e->items[0], by + (e->text[0] == '-' ? -at : at));
	}
	return by < 0 ? expr_binary(a, "-", e, expr_number(a, -by))
		      : expr_binary(a, "+", e, expr_number(a, by));
}

int64_t loop_trips(const struct variant *v, const struct stmt *loop, struct arena *a)
{
	AUTO_FREE struct env *env = xmalloc(sizeof(*env));
	int64_t span;
	if (loop->kind != STMT_LOOP || !env_open(env, &v->view, loop, a))
		return -1;
	struct poly lo = env_poly(env, loop->loop->lo);
	struct poly hi = env_poly(env, loop->loop->hi);
	struct poly length = poly_subtract(&hi, &lo);
	if (!poly_is_number(&length, &span))
		return -1;
	return span <= 0 ? 0 : (span - 1) / loop->loop->step + 1;
}

struct expr *expr_call(struct arena *a, const char *name, struct expr *first, struct expr *second)
{
	struct expr *e = expr_new(a, EXPR_CALL, "(", second ? 3 : 2);
	e->items[0] = expr_name(a, name);
	e->items[1] = first;
	if (second)
		e->items[2] = second;
	return e;
}

struct stmt *stmt_loop(struct arena *a, const struct loop *header, struct stmt *body)
{
	struct stmt *s = stmt_new(a, STMT_LOOP);
	s->loop = arena_alloc(a, sizeof(*s->loop));
	*s->loop = *header;
	stmt_add(a, s, body);
	return s;
}

struct bounds {
	const struct env *env;
	const struct accesses *list;
	const struct stmt *loop;
	const char *trouble;
};

static bool type_is_unsigned(const struct meaning *m)
{
	const char *type = m->param  ? m->param->type
			   : m->decl ? m->decl->type
				     : m->loop->loop->type;
	return strstr(type, "unsigned") || strstr(type, "uint") || text_has_name(type, "size_t");
}

/* A name of the file has no meaning here, so its type is not known. */
static bool see_bound(void *ctx, const struct expr *e)
{
	struct bounds *b = ctx;
	bool is_harmless = e->kind == EXPR_NUMBER || e->kind == EXPR_NAME ||
			   e->kind == EXPR_BINARY || e->kind == EXPR_CAST || e->kind == EXPR_INDEX;
	if (!is_harmless)
		b->trouble = "its bounds are not understood";
	if (e->kind != EXPR_NAME)
		return !b->trouble;
	const struct meaning *m = env_find(b->env, e->text);
	if (!m || type_is_unsigned(m))
		b->trouble = "a number in its bounds may be unsigned";
	if (stmt_changes(b->loop->items[0], e->text) || accesses_writes(b->list, e->text))
		b->trouble = "its bounds change inside";
	return !b->trouble;
}

const char *loop_uncuttable(const struct variant *v, const struct stmt *loop, struct arena *a)
{
	AUTO_FREE struct env *env = xmalloc(sizeof(*env));
	struct accesses list;
	struct bounds b = { .env = env, .list = &list, .loop = loop };
	const struct walk w = { .ctx = &b, .see_expr = see_bound };
	if (loop->loop->step != 1)
		return "it does not count by one";
	if (!env_open(env, &v->view, loop, a) || type_is_unsigned(env_find(env, loop->loop->var)))
		return "its counter is unsigned";
	accesses_collect(&list, &v->view, loop, a);
	if (list.trouble || list.has_exit)
		return list.trouble ? list.trouble : "it may be left early";
	walk_expr(&w, loop->loop->lo);
	walk_expr(&w, loop->loop->hi);
	return b.trouble;
}

struct expr *loop_count(const struct variant *v, const struct stmt *loop, struct arena *a)
{
	int64_t trips = loop_trips(v, loop, a);
	if (trips >= 0)
		return expr_number(a, trips);
	return expr_binary(a, "-", expr_clone(a, loop->loop->hi), expr_clone(a, loop->loop->lo));
}

struct expr *loop_whole(const struct variant *v, const struct stmt *loop, int64_t n,
			struct arena *a)
{
	struct expr *by = expr_number(a, n);
	struct expr *count = loop_count(v, loop, a);
	int64_t trips = loop_trips(v, loop, a);
	struct expr *whole = trips >= 0 ? expr_number(a, trips / n * n)
					: expr_binary(a, "*", expr_binary(a, "/", count, by), by);
	return expr_binary(a, "+", expr_clone(a, loop->loop->lo), whole);
}

struct stmt *loop_remainder(const struct variant *v, const struct stmt *loop, struct expr *from,
			    int64_t n, struct arena *a)
{
	int64_t trips = loop_trips(v, loop, a);
	if (trips >= 0 && trips % n == 0)
		return NULL;
	struct stmt *rest = stmt_clone(a, loop);
	stmt_relabel(a, rest, "r");
	rest->loop->lo = from;
	return rest;
}

static const char *without_const(struct arena *a, const char *type)
{
	static const char word[] = "const ";
	if (strncmp(type, word, strlen(word)) == 0)
		return arena_strdup(a, type + strlen(word));
	return text_has_name(type, "const") ? NULL : type;
}

struct decl_search {
	const char *name;
	const struct decl *found;
};

static bool see_decl(void *ctx, const struct stmt *s)
{
	struct decl_search *d = ctx;
	if (s->decl && strcmp(s->decl->name, d->name) == 0)
		d->found = s->decl;
	return !d->found;
}

const char *element_type(const struct variant *v, const char *name)
{
	struct decl_search d = { .name = name };
	const struct function *f = v->view.f;
	for (size_t i = 0; i < f->nr_params; i++)
		if (strcmp(f->params[i].name, name) == 0)
			return f->params[i].is_plain ? without_const(v->a, f->params[i].type)
						     : NULL;
	walk_stmt(&(struct walk){ &d, NULL, see_decl }, v->body);
	return d.found ? without_const(v->a, d.found->type) : NULL;
}

/* By the sizes that this body is for alone: a dim that is no argument may differ elsewhere. */
static int64_t param_elements(const struct kernel *k, const struct variant *v, size_t at)
{
	const struct tuner_task *t = k->task;
	struct dims known = { .items = arena_array(k->a, t->nr_args, sizeof(struct dim)) };
	const char *elements = t->args[at].elements;
	struct err ignored = { 0 };
	int64_t nr;
	for (size_t i = 0; i < t->nr_args; i++) {
		const struct dim *d = dims_find(&v->view.bound, v->view.f->params[i].name);
		if (d)
			known.items[known.nr++] = (struct dim){ t->args[i].name, d->value };
	}
	return elements && expr_eval(elements, &known, &nr, &ignored) == 0 ? nr : -1;
}

int64_t array_elements(const struct kernel *k, const struct variant *v, const char *name)
{
	struct decl_search d = { .name = name };
	int64_t nr = 1;
	for (size_t i = 0; i < v->view.f->nr_params; i++)
		if (strcmp(v->view.f->params[i].name, name) == 0)
			return param_elements(k, v, i);
	walk_stmt(&(struct walk){ &d, NULL, see_decl }, v->body);
	if (!d.found || !d.found->nr_dims || *d.found->stars)
		return -1;
	for (size_t i = 0; i < d.found->nr_dims; i++)
		if (!d.found->dims[i]->is_integer ||
		    __builtin_mul_overflow(nr, d.found->dims[i]->value, &nr))
			return -1;
	return nr;
}

int64_t element_bytes(const char *type)
{
	static const struct {
		const char *type;
		int64_t bytes;
	} types[] = { { "float", 4 },    { "int", 4 },     { "int32_t", 4 },  { "uint32_t", 4 },
		      { "double", 8 },   { "int64_t", 8 }, { "uint16_t", 2 }, { "int16_t", 2 },
		      { "_Float16", 2 }, { "uint8_t", 1 }, { "int8_t", 1 },   { "char", 1 } };
	for (size_t i = 0; i < ARRAY_LEN(types); i++)
		if (strcmp(types[i].type, type) == 0)
			return types[i].bytes;
	return 16;
}

struct substitution {
	struct arena *a;
	const struct expr *from;
	const struct expr *to;
};

static struct expr *substitute(void *ctx, struct expr *e)
{
	const struct substitution *x = ctx;
	return expr_equal(e, x->from) ? expr_clone(x->a, x->to) : e;
}

void stmt_substitute(struct arena *a, struct stmt *s, const struct expr *from,
		     const struct expr *to)
{
	struct substitution x = { a, expr_clone(a, from), to };
	stmt_rewrite(s, substitute, &x);
}

struct fixing {
	struct arena *a;
	const char *name;
	int64_t value;
};

static struct expr *fix(void *ctx, struct expr *e)
{
	const struct fixing *f = ctx;
	if (expr_is_name(e, f->name))
		return expr_number(f->a, f->value);
	if (e->kind == EXPR_BINARY)
		return expr_binary(f->a, e->text, e->items[0], e->items[1]);
	return e;
}

void stmt_fix(struct arena *a, struct stmt *s, const char *name, int64_t value)
{
	stmt_rewrite(s, fix, &(struct fixing){ a, name, value });
}

struct expr *expr_fix(struct arena *a, struct expr *e, const char *name, int64_t value)
{
	return expr_rewrite(e, fix, &(struct fixing){ a, name, value });
}

void stmt_drop_reduction(struct stmt *s, const char *name)
{
	if (s->loop && s->loop->reduction && text_has_name(s->loop->reduction, name)) {
		s->loop->is_simd = false;
		s->loop->reduction = NULL;
	}
	for (size_t i = 0; i < s->nr; i++)
		stmt_drop_reduction(s->items[i], name);
}

static void rename_declared(struct stmt *s, const char *from, const char *to)
{
	if (s->decl && strcmp(s->decl->name, from) == 0)
		s->decl->name = to;
	if (s->loop && strcmp(s->loop->var, from) == 0)
		s->loop->var = to;
	if (s->init)
		rename_declared(s->init, from, to);
	for (size_t i = 0; i < s->nr; i++)
		rename_declared(s->items[i], from, to);
}

void stmt_rename(struct arena *a, struct stmt *s, const char *from, const char *to)
{
	stmt_substitute(a, s, expr_name(a, from), expr_name(a, to));
	stmt_drop_reduction(s, from);
	rename_declared(s, from, to);
}

void stmt_relabel(struct arena *a, struct stmt *s, const char *suffix)
{
	if (s->loop)
		s->loop->label = arena_printf(a, "%s%s", s->loop->label, suffix);
	for (size_t i = 0; i < s->nr; i++)
		stmt_relabel(a, s->items[i], suffix);
}

static bool is_function(const struct kernel *k, const char *name)
{
	for (size_t i = 0; i < k->nr_variants; i++)
		if (str_equal(k->variants[i].function, name))
			return true;
	return false;
}

static bool is_taken(const struct kernel *k, const struct variant *v, const char *name)
{
	bool is_used =
		v ? stmt_uses(v->body, name) || stmt_declares(v->body, name) : is_function(k, name);
	return is_used || text_has_name(k->source, name);
}

const char *fresh_name(const struct kernel *k, const struct variant *v, const char *base)
{
	const char *name = base;
	for (unsigned i = 2; is_taken(k, v, name); i++)
		name = arena_printf(k->a, "%s_%u", base, i);
	return name;
}

/* The loop a row names; "entry" is the whole body. */
static const char *row_place(const struct row *row)
{
	const char *label = row_get(row, "loop");
	return label && strcmp(label, "entry") == 0 ? NULL : label;
}

int row_apply_each(struct kernel *k, const struct row *row, apply_fn apply, struct err *e)
{
	const char *label = row_place(row);
	const char *why = "no body has it";
	bool is_applied = false;
	if (label ? kernel_need_loop(k, row, e) < 0 : k->unread != NULL)
		return label ? -1 : err_set(e, ERR_INPUT, "the source was not read: %s", k->unread);
	for (size_t i = 0; i < k->nr_variants; i++) {
		struct variant *v = &k->variants[i];
		struct stmt *loop = label ? kernel_loop(v, label) : NULL;
		const char *trouble = label && !loop ? why : apply(k, v, loop, row);
		why = trouble ? trouble : why;
		is_applied = is_applied || !trouble;
	}
	return is_applied ? 0
			  : err_set(e, ERR_INPUT, "%s does not apply%s%s: %s", row->kind->name,
				    label ? " to loop " : "", label ? label : "", why);
}
