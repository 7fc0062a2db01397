#include "tuner/access.h"

/* One walk with the scope kept beside it. A call is taken as free of effects when no pointer goes
 * in: a kernel has no state it could reach otherwise. */

#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "tuner/cparse.h"
#include "tuner/env.h"
#include "tuner/ir.h"

enum { SCALARS_MAX = 64, READ = 1, WRITE = 2, ACCESSES_MAX = 400 };

struct collector {
	struct env env;
	struct accesses *out;
	unsigned loop_depth; /* loops between the place and the study loop, the latter excluded */
	unsigned nr_conditions;
};

static void see(struct collector *c, const struct expr *e, unsigned how);
static void visit(struct collector *c, const struct stmt *s);

static void trouble(struct collector *c, const char *why)
{
	if (!c->out->trouble)
		c->out->trouble = why;
}

bool accesses_writes(const struct accesses *list, const char *array)
{
	for (size_t i = 0; i < list->nr; i++)
		if (list->items[i]->is_write && strcmp(list->items[i]->array, array) == 0)
			return true;
	return false;
}

static void add_scalar(struct collector *c, const char *name)
{
	const struct meaning *m = env_find(&c->env, name);
	if (m && m->is_inside)
		return;
	for (size_t i = 0; i < c->out->nr_scalars; i++)
		if (strcmp(c->out->scalars[i], name) == 0)
			return;
	if (c->out->nr_scalars == SCALARS_MAX) {
		trouble(c, "it changes too many variables");
		return;
	}
	c->out->scalars[c->out->nr_scalars++] = name;
}

static struct access *add_access(struct collector *c)
{
	struct accesses *out = c->out;
	if (out->nr == ACCESSES_MAX) {
		trouble(c, "it touches arrays in too many places");
		return out->items[0];
	}
	if (out->nr == out->cap) {
		size_t cap = out->cap ? 2 * out->cap : 16;
		struct access **items = arena_array(c->env.a, cap, sizeof(*items));
		if (out->nr)
			memcpy(items, out->items, out->nr * sizeof(*items));
		out->items = items;
		out->cap = cap;
	}
	out->items[out->nr] = arena_alloc(c->env.a, sizeof(struct access));
	return out->items[out->nr++];
}

/* Behind the last value that a counter takes, where the steps are known to fill the range: by then
 * nothing is left between it and the bound but the rest of a step. */
static struct poly last_end(const struct poly *lo, const struct poly *hi, int64_t step)
{
	struct poly span = poly_subtract(hi, lo);
	int64_t length;
	if (step == 1 || !poly_is_number(&span, &length) || length <= 0)
		return *hi;
	struct poly used = poly_number((length - 1) / step * step + 1);
	return poly_add(lo, &used);
}

static struct access_loop loop_at(struct env *env, const struct stmt *s)
{
	struct access_loop l = { .stmt = s, .lo = env_poly(env, s->loop->lo) };
	env_ends(env, s->loop->hi, &l.hi, &l.cap);
	l.hi = last_end(&l.lo, &l.hi, s->loop->step);
	return l;
}

static void fill_place(struct collector *c, struct access *x)
{
	const struct stmt *loops[ACCESS_LOOPS + 1];
	size_t nr = env_loops(&c->env, loops, ACCESS_LOOPS + 1);
	if (nr > ACCESS_LOOPS)
		trouble(c, "its loops nest too deep");
	x->nr_loops = nr < ACCESS_LOOPS ? nr : ACCESS_LOOPS;
	for (size_t i = 0; i < x->nr_loops; i++)
		x->loops[i] = loop_at(&c->env, loops[i]);
	env_facts(&c->env, &x->facts);
	x->is_conditional = c->nr_conditions > 0;
}

static void note_access(struct collector *c, const struct expr *e, const char *array, unsigned how)
{
	struct access *x = add_access(c);
	x->array = array;
	x->at = e;
	x->is_read = how & READ;
	x->is_write = how & WRITE;
	fill_place(c, x);
}

/* a[i] or a[i][j], outermost subscript last in the tree: subs are filled from the inside. */
static void see_index(struct collector *c, const struct expr *e, unsigned how)
{
	const struct expr *subs[ACCESS_DIMS];
	size_t nr = 0;
	const struct expr *base = e;
	for (; base->kind == EXPR_INDEX; base = base->items[0]) {
		see(c, base->items[1], READ);
		if (nr < ACCESS_DIMS)
			subs[nr] = base->items[1];
		nr++;
	}
	struct poly offset;
	const char *array = env_array(&c->env, base, &offset);
	const struct meaning *m = array ? env_find(&c->env, array) : NULL;
	if (!array || nr > ACCESS_DIMS) {
		trouble(c, "it goes through a pointer that is not understood");
		return;
	}
	if (m && m->decl && m->is_inside)
		return;
	note_access(c, e, array, how);
	struct access *x = c->out->items[c->out->nr - 1];
	x->nr_subs = nr;
	for (size_t i = 0; i < nr; i++)
		x->subs[i] = env_poly(&c->env, subs[nr - 1 - i]);
	x->subs[0] = poly_add(&x->subs[0], &offset);
}

static void see_target(struct collector *c, const struct expr *e, unsigned how)
{
	if (e->kind == EXPR_INDEX) {
		see_index(c, e, how);
		return;
	}
	if (e->kind != EXPR_NAME) {
		trouble(c, "it assigns to something that is not understood");
		return;
	}
	add_scalar(c, e->text);
}

/* A pointer or array handed on as a whole. */
static bool is_whole_pointer(struct collector *c, const struct expr *e)
{
	const struct meaning *m = e->kind == EXPR_NAME ? env_find(&c->env, e->text) : NULL;
	return m && meaning_is_pointer(m);
}

static void see_items(struct collector *c, const struct expr *e, size_t from)
{
	for (size_t i = from; i < e->nr; i++)
		see(c, e->items[i], READ);
}

/* The end of memory that the loop asked for itself. */
static bool is_own_free(struct collector *c, const struct expr *e)
{
	const struct meaning *m = e->nr == 2 && e->items[1]->kind == EXPR_NAME
					  ? env_find(&c->env, e->items[1]->text)
					  : NULL;
	return expr_is_name(e->items[0], "free") && m && m->decl && m->is_inside;
}

/* An address that is only a hint: nothing behind it is touched. */
static bool see_hint(struct collector *c, const struct expr *e)
{
	const struct expr *at = e->nr == 2 ? e->items[1] : NULL;
	if (!expr_is_name(e->items[0], "__builtin_prefetch") || !at || at->kind != EXPR_UNARY ||
	    at->items[0]->kind != EXPR_INDEX)
		return false;
	see(c, at->items[0]->items[1], READ);
	return true;
}

/* What a scan row calls changes an array that lives and dies in the block of the call: which of its
 * elements does not matter to anybody. */
static bool see_own_sums(struct collector *c, const struct expr *e)
{
	static const char prefix[] = "forge_sums_";
	bool is_sums = e->items[0]->kind == EXPR_NAME && str_starts(e->items[0]->text, prefix) &&
		       e->nr == 2 && e->items[1]->kind == EXPR_NAME;
	if (is_sums)
		see_target(c, expr_index(c->env.a, e->items[1], expr_number(c->env.a, 0)),
			   READ | WRITE);
	return is_sums;
}

static void see_call(struct collector *c, const struct expr *e)
{
	if (see_hint(c, e) || see_own_sums(c, e))
		return;
	if (e->items[0]->kind != EXPR_NAME || env_find(&c->env, e->items[0]->text))
		trouble(c, "it calls through a pointer");
	if (!is_own_free(c, e))
		see_items(c, e, 1);
}

static void see_guarded(struct collector *c, const struct expr *e)
{
	see(c, e->items[0], READ);
	c->nr_conditions++;
	see_items(c, e, 1);
	c->nr_conditions--;
}

static bool is_increment(const struct expr *e)
{
	return strcmp(e->text, "++") == 0 || strcmp(e->text, "--") == 0;
}

static void see_operator(struct collector *c, const struct expr *e)
{
	bool is_guard =
		e->kind == EXPR_CHOICE || strcmp(e->text, "&&") == 0 || strcmp(e->text, "||") == 0;
	if (is_guard)
		see_guarded(c, e);
	else
		see_items(c, e, 0);
}

static void see_unary(struct collector *c, const struct expr *e)
{
	if (is_increment(e))
		see_target(c, e->items[0], READ | WRITE);
	else if (strcmp(e->text, "*") == 0 || strcmp(e->text, "&") == 0)
		trouble(c, "it follows or takes an address");
	else
		see_items(c, e, 0);
}

/* "(void)name" says that nothing is done with it. */
static bool is_unused_mark(const struct expr *e)
{
	return e->kind == EXPR_CAST && strcmp(e->text, "void") == 0 &&
	       e->items[0]->kind == EXPR_NAME;
}

static void see(struct collector *c, const struct expr *e, unsigned how)
{
	switch (e->kind) {
	case EXPR_NUMBER:
	case EXPR_TEXT:
		return;
	case EXPR_NAME:
		if (is_whole_pointer(c, e))
			trouble(c, "it hands on a pointer");
		return;
	case EXPR_UNARY:
		see_unary(c, e);
		return;
	case EXPR_POSTFIX:
		see_target(c, e->items[0], READ | WRITE);
		return;
	case EXPR_ASSIGN:
		see(c, e->items[1], READ);
		see_target(c, e->items[0], strcmp(e->text, "=") == 0 ? WRITE : READ | WRITE);
		return;
	case EXPR_BINARY:
	case EXPR_CHOICE:
		see_operator(c, e);
		return;
	case EXPR_CALL:
		see_call(c, e);
		return;
	case EXPR_INDEX:
		see_index(c, e, how);
		return;
	case EXPR_MEMBER:
		trouble(c, "it uses a struct");
		return;
	case EXPR_CAST:
	case EXPR_LIST:
		if (!is_unused_mark(e))
			see_items(c, e, 0);
		return;
	}
}

/* A local pointer that only names a place in an array is seen through where it is used. */
static void visit_decl(struct collector *c, const struct stmt *s)
{
	const struct decl *d = s->decl;
	struct poly offset;
	for (size_t i = 0; i < d->nr_dims; i++)
		see(c, d->dims[i], READ);
	bool is_alias = *d->stars && !d->nr_dims && d->init && env_array(&c->env, d->init, &offset);
	if (d->init && !is_alias)
		see(c, d->init, READ);
	env_add_decl(&c->env, d);
	if (c->env.nr == ENV_NAMES)
		trouble(c, "it has too many names");
}

static void visit_items(struct collector *c, const struct stmt *s)
{
	for (size_t i = 0; i < s->nr; i++)
		visit(c, s->items[i]);
}

static void visit_condition(struct collector *c, const struct stmt *s)
{
	see(c, s->expr, READ);
	c->nr_conditions++;
	visit_items(c, s);
	c->nr_conditions--;
}

static void visit_other_loop(struct collector *c, const struct stmt *s)
{
	for (size_t i = 0; s->init && i < s->init->nr; i++)
		visit(c, s->init->items[i]);
	if (s->expr)
		see(c, s->expr, READ);
	if (s->step)
		see(c, s->step, READ);
	c->loop_depth++;
	c->nr_conditions++;
	visit_items(c, s);
	c->nr_conditions--;
	c->loop_depth--;
}

static void visit_loop(struct collector *c, const struct stmt *s)
{
	see(c, s->loop->lo, READ);
	see(c, s->loop->hi, READ);
	env_add_loop(&c->env, s);
	c->loop_depth++;
	visit_items(c, s);
	c->loop_depth--;
}

static void visit_jump(struct collector *c, const struct stmt *s)
{
	if (s->text[0] == 'r' || (s->text[0] == 'b' && c->loop_depth == 0))
		c->out->has_exit = true;
	if (s->expr)
		see(c, s->expr, READ);
}

static void visit(struct collector *c, const struct stmt *s)
{
	size_t nr = c->env.nr;
	switch (s->kind) {
	case STMT_BLOCK:
		visit_items(c, s);
		break;
	case STMT_LOOP:
		visit_loop(c, s);
		break;
	case STMT_FOR:
	case STMT_WHILE:
	case STMT_DO:
		visit_other_loop(c, s);
		break;
	case STMT_IF:
		visit_condition(c, s);
		break;
	case STMT_EXPR:
		if (s->expr)
			see(c, s->expr, READ);
		break;
	case STMT_DECL:
		visit_decl(c, s);
		return;
	case STMT_JUMP:
		visit_jump(c, s);
		break;
	case STMT_OPAQUE:
		trouble(c, "it holds a statement that is not understood");
		break;
	}
	c->env.nr = nr;
}

void accesses_collect(struct accesses *out, const struct view *view, const struct stmt *loop,
		      struct arena *a)
{
	struct collector c = { .out = out };
	*out = (struct accesses){ .scalars = arena_array(a, SCALARS_MAX, sizeof(char *)) };
	if (!env_open(&c.env, view, loop, a)) {
		trouble(&c, "its names are not understood");
		return;
	}
	visit_items(&c, loop);
}
