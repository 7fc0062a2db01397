#include "tuner/env.h"

/* Locals that are set once are seen through to their initialisers, inside the study loop always,
 * outside only where that gives a number: a plain symbol cancels better than what it stands for. */

#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "tuner/cnormal.h"
#include "tuner/cparse.h"
#include "tuner/cprint.h"
#include "tuner/ir.h"
#include "tuner/walk.h"

enum { RESOLVE_DEPTH = 12 };

static bool is_full(const struct env *env)
{
	return env->nr == ENV_NAMES;
}

void env_add_decl(struct env *env, const struct decl *d)
{
	if (!is_full(env))
		env->items[env->nr++] =
			(struct meaning){ .name = d->name, .decl = d, .is_inside = true };
}

void env_add_loop(struct env *env, const struct stmt *loop)
{
	if (!is_full(env))
		env->items[env->nr++] = (struct meaning){ .name = loop->loop->var,
							  .loop = loop,
							  .is_inside = true };
}

const struct meaning *env_find(const struct env *env, const char *name)
{
	for (size_t i = env->nr; i > 0; i--)
		if (strcmp(env->items[i - 1].name, name) == 0)
			return &env->items[i - 1];
	return NULL;
}

bool meaning_is_pointer(const struct meaning *m)
{
	if (m->param)
		return m->param->is_pointer;
	return m->decl && (*m->decl->stars || m->decl->nr_dims);
}

/* Follow the path to the study loop; names of left scopes are dropped again. */
static bool descend(struct env *env, const struct stmt *s)
{
	size_t nr = env->nr;
	if (s->kind == STMT_DECL)
		env_add_decl(env, s->decl);
	for (size_t i = 0; s->init && i < s->init->nr; i++)
		descend(env, s->init->items[i]);
	if (s->kind == STMT_LOOP)
		env_add_loop(env, s);
	if (s == env->study)
		return true;
	for (size_t i = 0; i < s->nr; i++)
		if (descend(env, s->items[i]))
			return true;
	if (s->kind != STMT_DECL)
		env->nr = nr;
	return false;
}

bool env_open(struct env *env, const struct view *view, const struct stmt *study, struct arena *a)
{
	*env = (struct env){ .a = a, .view = view, .study = study };
	for (size_t i = 0; i < view->f->nr_params; i++)
		env->items[env->nr++] = (struct meaning){ .name = view->f->params[i].name,
							  .param = &view->f->params[i] };
	if (!descend(env, view->body) || is_full(env))
		return false;
	for (size_t i = 0; i < env->nr; i++)
		env->items[i].is_inside = env->items[i].loop == study;
	return true;
}

/* Unsigned types narrower than an address wrap around, which polynomials do not. */
static bool type_wraps(const char *type)
{
	bool is_long = text_has_name(type, "long");
	return (text_has_name(type, "unsigned") && !is_long) || text_has_name(type, "uint32_t") ||
	       text_has_name(type, "uint16_t") || text_has_name(type, "uint8_t") ||
	       text_has_name(type, "char");
}

static bool is_index_type(const char *type)
{
	return type_is_integer(type) && !type_wraps(type);
}

static struct poly symbol_if(bool is_symbol, const char *name)
{
	return is_symbol ? poly_name(name) : poly_unknown();
}

/* A name of the outside that keeps its value during the study loop. Seen through an initialiser it
 * must keep it for good: the initialiser may have read an older value. */
static struct poly outer_symbol(const struct env *env, const char *name, bool is_in_initialiser)
{
	return symbol_if(!stmt_changes(is_in_initialiser ? env->view->body : env->study, name),
			 name);
}

static struct poly resolve_decl(struct env *env, const struct meaning *m)
{
	const struct decl *d = m->decl;
	if (meaning_is_pointer(m) || !is_index_type(d->type))
		return poly_unknown();
	bool is_set_once = d->init && !stmt_changes(env->view->body, d->name);
	struct poly value = is_set_once ? env_poly(env, d->init) : poly_unknown();
	int64_t number;
	if (m->is_inside || poly_is_number(&value, &number))
		return value;
	return outer_symbol(env, d->name, env->depth > 1);
}

static bool is_bound_value(const struct env *env, const char *name)
{
	return dims_find(&env->view->bound, name) && !stmt_changes(env->view->body, name);
}

static struct poly resolve_param(struct env *env, const struct param *p)
{
	if (p->is_pointer || !is_index_type(p->type))
		return poly_unknown();
	if (is_bound_value(env, p->name))
		return poly_number(dims_find(&env->view->bound, p->name)->value);
	return outer_symbol(env, p->name, env->depth > 0);
}

static struct poly resolve_name(struct env *env, const char *name)
{
	const struct meaning *m = env_find(env, name);
	if (!m)
		return symbol_if(!stmt_changes(env->view->body, name), name);
	if (m->param)
		return resolve_param(env, m->param);
	if (m->loop)
		return symbol_if(!type_wraps(m->loop->loop->type), m->loop->loop->label);
	if (env->depth >= RESOLVE_DEPTH)
		return poly_unknown();
	env->depth++;
	struct poly p = resolve_decl(env, m);
	env->depth--;
	return p;
}

struct invariance {
	struct env *env;
	bool is_broken;
};

static bool see_variance(void *ctx, const struct expr *e)
{
	struct invariance *v = ctx;
	bool is_arithmetic = e->kind == EXPR_BINARY || e->kind == EXPR_CAST ||
			     e->kind == EXPR_NUMBER || e->kind == EXPR_NAME;
	const struct meaning *m = e->kind == EXPR_NAME ? env_find(v->env, e->text) : NULL;
	if (!is_arithmetic || (m && (m->is_inside || meaning_is_pointer(m))) ||
	    (e->kind == EXPR_NAME && stmt_changes(v->env->study, e->text)))
		v->is_broken = true;
	return !v->is_broken;
}

/* Anything that is the same in all iterations may stand as a symbol, named by its text. */
static struct poly invariant_symbol(struct env *env, const struct expr *e)
{
	struct invariance v = { .env = env };
	AUTO_STR struct str text = STR_INIT;
	walk_expr(&(struct walk){ .ctx = &v, .see_expr = see_variance }, e);
	if (v.is_broken)
		return poly_unknown();
	print_expr(&text, e);
	return poly_name(arena_strdup(env->a, text.text));
}

/* What stands for a size divided by a number is not negative either. */
static void note_quotient(struct env *env, const struct poly *left, int64_t by,
			  const struct poly *symbol)
{
	struct facts sizes = { 0 };
	for (size_t i = 0; i < env->view->sizes.nr; i++)
		facts_add(&sizes, env->view->sizes.items[i].name, 0);
	if (by > 0 && symbol->nr == 1 && poly_is_nonnegative(left, &sizes))
		facts_add(&env->quotients, symbol->terms[0].names[0], 0);
}

static struct poly quotient(struct env *env, const struct expr *e)
{
	struct poly left = env_poly(env, e->items[0]);
	struct poly right = env_poly(env, e->items[1]);
	int64_t a;
	int64_t b;
	if (poly_is_number(&left, &a) && poly_is_number(&right, &b) && a >= 0 && b > 0)
		return poly_number(e->text[0] == '/' ? a / b : a % b);
	struct poly symbol = invariant_symbol(env, e);
	if (!symbol.is_unknown && poly_is_number(&right, &b))
		note_quotient(env, &left, b, &symbol);
	return symbol;
}

static struct poly binary(struct env *env, const struct expr *e)
{
	if (strcmp(e->text, "/") == 0 || strcmp(e->text, "%") == 0)
		return quotient(env, e);
	bool is_sum = !e->text[1] && strchr("+-*", e->text[0]);
	if (!is_sum)
		return invariant_symbol(env, e);
	struct poly left = env_poly(env, e->items[0]);
	struct poly right = env_poly(env, e->items[1]);
	if (e->text[0] == '*')
		return poly_multiply(&left, &right);
	return e->text[0] == '+' ? poly_add(&left, &right) : poly_subtract(&left, &right);
}

struct poly env_poly(struct env *env, const struct expr *e)
{
	if (e->kind == EXPR_NUMBER && e->is_integer)
		return poly_number(e->value);
	if (e->kind == EXPR_NAME)
		return resolve_name(env, e->text);
	if (e->kind == EXPR_BINARY)
		return binary(env, e);
	bool is_wide = e->kind == EXPR_CAST && is_index_type(e->text) && !strchr(e->text, '*') &&
		       (strstr(e->text, "64_t") || strstr(e->text, "size_t") ||
			strstr(e->text, "ptr") || strstr(e->text, "long"));
	if (is_wide)
		return env_poly(env, e->items[0]);
	if (e->kind == EXPR_UNARY && strcmp(e->text, "-") == 0) {
		struct poly zero = poly_number(0);
		struct poly in = env_poly(env, e->items[0]);
		return poly_subtract(&zero, &in);
	}
	return poly_unknown();
}

/* "a < b ? a : b" and its kin, through locals that are set once. */
static const struct expr *smaller_of_two(const struct env *env, const struct expr *e)
{
	const struct meaning *m = e->kind == EXPR_NAME ? env_find(env, e->text) : NULL;
	if (m && m->decl && m->decl->init && !meaning_is_pointer(m) &&
	    !stmt_changes(env->view->body, e->text) && is_index_type(m->decl->type))
		e = m->decl->init;
	if (e->kind != EXPR_CHOICE || e->items[0]->kind != EXPR_BINARY)
		return NULL;
	const struct expr *cond = e->items[0];
	bool is_order = strchr("<>", cond->text[0]) && (!cond->text[1] || cond->text[1] == '=');
	size_t first = cond->text[0] == '<' ? 1 : 2;
	return is_order && expr_equal(cond->items[0], e->items[first]) &&
			       expr_equal(cond->items[1], e->items[3 - first])
		       ? e
		       : NULL;
}

void env_ends(struct env *env, const struct expr *e, struct poly *one, struct poly *other)
{
	const struct expr *pair = smaller_of_two(env, e);
	bool is_earlier = pair && pair != e;
	env->depth += is_earlier;
	*one = env_poly(env, pair ? pair->items[1] : e);
	*other = pair ? env_poly(env, pair->items[2]) : poly_unknown();
	env->depth -= is_earlier;
	if (!one->is_unknown)
		return;
	*one = *other;
	*other = poly_unknown();
}

bool decl_is_fresh(const struct decl *d)
{
	static const char *const calls[] = { "malloc", "calloc", "aligned_alloc" };
	const struct expr *e = d->init;
	while (e && e->kind == EXPR_CAST)
		e = e->items[0];
	for (size_t i = 0; e && e->kind == EXPR_CALL && i < ARRAY_LEN(calls); i++)
		if (expr_is_name(e->items[0], calls[i]))
			return true;
	return false;
}

static const char *named_array(struct env *env, const struct expr *e, struct poly *offset)
{
	const struct meaning *m = env_find(env, e->text);
	*offset = poly_number(0);
	/* An array can not be assigned to: what changes is another of this name. */
	if (m && m->decl && m->decl->nr_dims)
		return e->text;
	bool is_fixed = !m || m->param || (m->decl && (m->decl->nr_dims || decl_is_fresh(m->decl)));
	if (is_fixed)
		return m && (!meaning_is_pointer(m) || stmt_changes(env->view->body, e->text))
			       ? NULL
			       : e->text;
	if (!m->decl || !m->decl->init || !meaning_is_pointer(m) || env->depth >= RESOLVE_DEPTH ||
	    stmt_changes(env->view->body, e->text))
		return NULL;
	env->depth++;
	const char *array = env_array(env, m->decl->init, offset);
	env->depth--;
	return array;
}

const char *env_array(struct env *env, const struct expr *e, struct poly *offset)
{
	*offset = poly_unknown();
	if (e->kind == EXPR_NAME)
		return named_array(env, e, offset);
	bool is_address = e->kind == EXPR_UNARY && strcmp(e->text, "&") == 0 &&
			  e->items[0]->kind == EXPR_INDEX;
	bool is_moved = e->kind == EXPR_BINARY && (!strcmp(e->text, "+") || !strcmp(e->text, "-"));
	if (!is_address && !is_moved)
		return NULL;
	const struct expr *pair = is_address ? e->items[0] : e;
	const char *array = env_array(env, pair->items[0], offset);
	struct poly by = env_poly(env, pair->items[1]);
	bool is_back = is_moved && e->text[0] == '-';
	*offset = is_back ? poly_subtract(offset, &by) : poly_add(offset, &by);
	return array;
}

size_t env_loops(const struct env *env, const struct stmt **loops, size_t max)
{
	size_t nr = 0;
	for (size_t i = 0; i < env->nr && nr < max; i++)
		if (env->items[i].loop && env->items[i].is_inside)
			loops[nr++] = env->items[i].loop;
	return nr;
}

/* A loop that runs tells that its bound is above its start: hi = symbol + c gives
 * symbol >= lo + 1 - c. */
static void loop_facts(struct env *env, const struct loop *l, struct facts *f)
{
	struct poly lo = env_poly(env, l->lo);
	struct poly hi = env_poly(env, l->hi);
	int64_t start;
	int64_t offset = 0;
	const struct term *symbol = NULL;
	if (!poly_is_number(&lo, &start) || start < 0)
		return;
	facts_add(f, l->label, start);
	for (unsigned i = 0; !hi.is_unknown && i < hi.nr; i++) {
		if (hi.terms[i].nr == 0)
			offset = hi.terms[i].factor;
		else if (symbol || hi.terms[i].nr > 1 || hi.terms[i].factor != 1)
			return;
		else
			symbol = &hi.terms[i];
	}
	if (symbol && offset > -(1 << 20) && offset < 1 << 20)
		facts_add(f, symbol->names[0], start + 1 - offset);
}

void env_facts(struct env *env, struct facts *f)
{
	facts_add_all(f, &env->quotients);
	for (size_t i = 0; i < env->view->sizes.nr; i++)
		facts_add(f, env->view->sizes.items[i].name, 0);
	for (size_t i = 0; i < env->nr; i++)
		if (env->items[i].loop)
			loop_facts(env, env->items[i].loop->loop, f);
}
