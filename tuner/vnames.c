#include "tuner/vnames.h"

/* Every use as a vector must name a place that is a known number. Statements that use the array in
 * another way keep it: in front of them the variables are written into it, and read back behind
 * them where they change it. */

#include <string.h>

#include "base/mem.h"
#include "tuner/etype.h"
#include "tuner/ir.h"
#include "tuner/kernel.h"
#include "tuner/rewrite.h"
#include "tuner/vtype.h"
#include "tuner/walk.h"

enum { DIMS_MAX = 4, NAMES_MAX = 64 };

struct table {
	struct kernel *k;
	const struct decl *decl;
	struct vtype type;
	int64_t dims[DIMS_MAX]; /* the last one in vectors */
	size_t nr_names;
	const char *names[NAMES_MAX];
	/* what a look at a part of the tree found */
	size_t nr_vectors;
	size_t nr_others;
	bool is_changed;
	bool is_left; /* by a jump */
	bool is_bad;
};

static bool root_is(const struct table *t, const struct expr *e)
{
	const char *root = index_root(e);
	return root && strcmp(root, t->decl->name) == 0;
}

static size_t nr_subscripts(const struct expr *e)
{
	size_t nr = 0;
	for (; e->kind == EXPR_INDEX; e = e->items[0])
		nr++;
	return nr;
}

/* Which variable stands for the vector that begins at this element; -1: none does. */
static int64_t number_of(const struct table *t, const struct expr *element)
{
	int64_t number = 0;
	int64_t factor = 1;
	if (nr_subscripts(element) != t->decl->nr_dims)
		return -1;
	for (size_t d = t->decl->nr_dims; d-- > 0; element = element->items[0]) {
		const struct expr *sub = element->items[1];
		int64_t per = d + 1 == t->decl->nr_dims ? t->type.lanes : 1;
		if (sub->kind != EXPR_NUMBER || !sub->is_integer || sub->value < 0 ||
		    sub->value % per != 0 || sub->value / per >= t->dims[d])
			return -1;
		number += sub->value / per * factor;
		factor *= t->dims[d];
	}
	return number;
}

static bool same_vectors(struct table *t, const struct vtype *type)
{
	if (!t->type.name)
		t->type = *type;
	return strcmp(t->type.name, type->name) == 0;
}

static bool is_step(const struct expr *e)
{
	return e->kind == EXPR_POSTFIX || (e->kind == EXPR_UNARY && (strcmp(e->text, "++") == 0 ||
								     strcmp(e->text, "--") == 0));
}

static bool see_expr(void *ctx, const struct expr *e)
{
	struct table *t = ctx;
	struct vtype type;
	const struct expr *element = vtype_element(e, &type);
	if (element && root_is(t, element)) {
		t->nr_vectors++;
		t->is_bad = t->is_bad || !same_vectors(t, &type);
		t->is_bad = t->is_bad || (t->nr_names && number_of(t, element) < 0);
		return false;
	}
	if ((e->kind == EXPR_ASSIGN || is_step(e)) && root_is(t, e->items[0]))
		t->is_changed = true;
	if (expr_is_name(e, t->decl->name)) {
		t->nr_others++;
		t->is_changed = true;
	}
	if (e->kind == EXPR_INDEX && root_is(t, e) && nr_subscripts(e) == t->decl->nr_dims) {
		t->nr_others++;
		for (; e->kind == EXPR_INDEX; e = e->items[0])
			walk_expr(&(struct walk){ .ctx = t, .see_expr = see_expr }, e->items[1]);
		return false;
	}
	return true;
}

static bool see_stmt(void *ctx, const struct stmt *s)
{
	struct table *t = ctx;
	const char *name = t->decl->name;
	if (s->kind == STMT_OPAQUE && text_has_name(s->text, name)) {
		t->nr_others++;
		t->is_changed = true;
	}
	t->is_left = t->is_left || s->kind == STMT_JUMP || s->kind == STMT_OPAQUE;
	t->is_bad = t->is_bad || (s->decl && strcmp(s->decl->name, name) == 0) ||
		    (s->loop && strcmp(s->loop->var, name) == 0);
	return true;
}

static void forget(struct table *t)
{
	t->nr_vectors = t->nr_others = 0;
	t->is_changed = t->is_left = false;
}

static void look(struct table *t, const struct stmt *s)
{
	forget(t);
	walk_stmt(&(struct walk){ t, see_expr, see_stmt }, s);
}

static bool is_in_head(struct table *t, const struct stmt *s)
{
	const struct walk w = { t, see_expr, see_stmt };
	forget(t);
	if (s->loop) {
		walk_expr(&w, s->loop->lo);
		walk_expr(&w, s->loop->hi);
	}
	walk_stmt(&w, s->init);
	walk_expr(&w, s->expr);
	walk_expr(&w, s->step);
	return t->nr_vectors || t->nr_others;
}

/* Whether every statement from this one on can be rewritten. */
static bool is_possible(struct table *t, const struct stmt *s)
{
	look(t, s);
	if (t->is_bad || (t->nr_others && t->is_changed && t->is_left && !t->nr_vectors))
		return false;
	if (!t->nr_others || !t->nr_vectors)
		return true;
	if (!s->nr || is_in_head(t, s))
		return false;
	for (size_t i = 0; i < s->nr; i++)
		if (!is_possible(t, s->items[i]))
			return false;
	return true;
}

static struct expr *to_name(void *ctx, struct expr *e)
{
	struct table *t = ctx;
	struct vtype type;
	const struct expr *element = vtype_element(e, &type);
	if (!element || !root_is(t, element))
		return e;
	return expr_name(t->k->a, t->names[number_of(t, element)]);
}

/* Subscripts of the vector with this number, the last one first. */
static struct expr *element_at(const struct table *t, size_t number)
{
	int64_t subs[DIMS_MAX];
	struct expr *e = expr_name(t->k->a, t->decl->name);
	for (size_t d = t->decl->nr_dims; d-- > 0;) {
		subs[d] = (int64_t)number % t->dims[d];
		number /= (size_t)t->dims[d];
	}
	subs[t->decl->nr_dims - 1] *= t->type.lanes;
	for (size_t d = 0; d < t->decl->nr_dims; d++)
		e = expr_index(t->k->a, e, expr_number(t->k->a, subs[d]));
	return e;
}

/* All variables into the array, or back. */
static void add_moves(const struct table *t, struct stmt *out, bool is_back)
{
	struct arena *a = t->k->a;
	for (size_t i = 0; i < t->nr_names; i++) {
		struct expr *place = vtype_place(&t->type, a, element_at(t, i), !is_back);
		struct expr *name = expr_name(a, t->names[i]);
		stmt_add(a, out,
			 stmt_expr(a, is_back ? expr_assign(a, "=", name, place)
					      : expr_assign(a, "=", place, name)));
	}
}

static void rewrite_from(struct table *t, struct stmt *parent, size_t from);

/* The statement itself, or a block with the moves it needs. */
static struct stmt *rewrite(struct table *t, struct stmt *s)
{
	look(t, s);
	if (t->nr_vectors && t->nr_others) {
		rewrite_from(t, s, 0);
		return s;
	}
	if (t->nr_vectors)
		stmt_rewrite(s, to_name, t);
	if (!t->nr_others)
		return s;
	struct stmt *block = stmt_new(t->k->a, STMT_BLOCK);
	bool is_changed = t->is_changed;
	add_moves(t, block, false);
	stmt_add(t->k->a, block, s);
	if (is_changed)
		add_moves(t, block, true);
	return block;
}

/* Moves stand beside their statement: it may declare a name. */
static void rewrite_from(struct table *t, struct stmt *parent, size_t from)
{
	for (size_t i = from; i < parent->nr; i++) {
		struct stmt *now = rewrite(t, parent->items[i]);
		bool is_spliced = now != parent->items[i] && parent->kind == STMT_BLOCK;
		if (is_spliced) {
			stmt_splice(t->k->a, parent, i, now);
			i += now->nr - 1;
		} else {
			parent->items[i] = now;
		}
	}
}

static bool is_zero(const struct expr *e)
{
	if (e->kind == EXPR_LIST)
		return e->nr == 1 && is_zero(e->items[0]);
	return e->kind == EXPR_NUMBER && strspn(e->text, "0.fF") == strlen(e->text);
}

static bool find_dims(struct table *t)
{
	const struct decl *d = t->decl;
	int64_t nr = 1;
	for (size_t i = 0; i < d->nr_dims; i++) {
		const struct expr *dim = d->dims[i];
		if (dim->kind != EXPR_NUMBER || !dim->is_integer || dim->value < 1)
			return false;
		bool is_last = i + 1 == d->nr_dims;
		if (is_last && dim->value % t->type.lanes != 0)
			return false;
		t->dims[i] = is_last ? dim->value / t->type.lanes : dim->value;
		if (t->dims[i] > NAMES_MAX || (nr *= t->dims[i]) > NAMES_MAX)
			return false;
	}
	t->nr_names = (size_t)nr;
	return true;
}

static const char *name_for(const struct table *t, const struct variant *v, size_t number)
{
	const char *name = t->decl->name;
	int64_t subs[DIMS_MAX];
	for (size_t d = t->decl->nr_dims; d-- > 0;) {
		subs[d] = (int64_t)number % t->dims[d];
		number /= (size_t)t->dims[d];
	}
	for (size_t d = 0; d < t->decl->nr_dims; d++)
		name = arena_printf(t->k->a, "%s_%lld", name, (long long)subs[d]);
	return fresh_name(t->k, v, name);
}

static bool is_candidate(const struct stmt *s)
{
	const struct decl *d = s->decl;
	return s->kind == STMT_DECL && d->nr_dims && d->nr_dims <= DIMS_MAX && !*d->stars &&
	       !text_has_name(d->type, "static") && etype_named(d->type) != ETYPE_OTHER &&
	       (!d->init || (d->init->kind == EXPR_LIST && is_zero(d->init)));
}

/* The vectors of the array are known and all that follows in the block can be rewritten. */
static bool can_name(struct table *t, const struct stmt *block, size_t at)
{
	size_t nr_vectors = 0;
	for (size_t i = at + 1; i < block->nr; i++) {
		look(t, block->items[i]);
		nr_vectors += t->nr_vectors;
	}
	if (!nr_vectors || t->is_bad || !find_dims(t))
		return false;
	for (size_t i = at + 1; i < block->nr; i++)
		if (!is_possible(t, block->items[i]))
			return false;
	return true;
}

static void add_names(struct table *t, struct variant *v, struct stmt *out)
{
	struct arena *a = t->k->a;
	for (size_t i = 0; i < t->nr_names; i++) {
		struct expr *init = t->decl->init ? expr_clone(a, t->decl->init) : NULL;
		if (init)
			init->items[0] = expr_number(a, 0);
		t->names[i] = name_for(t, v, i);
		stmt_add(a, out, stmt_decl(a, t->type.name, t->names[i], init));
	}
}

static bool uses_any(const struct table *t, const struct expr *e)
{
	for (size_t i = 0; i < t->nr_names; i++)
		if (expr_uses(e, t->names[i]))
			return true;
	return false;
}

static struct decl *decl_of(const struct stmt *names, const struct expr *name)
{
	for (size_t i = 0; i < names->nr; i++)
		if (expr_is_name(name, names->items[i]->decl->name))
			return names->items[i]->decl;
	return NULL;
}

/* Assignments that follow the declarations at once are their initial values. */
static void take_values(const struct table *t, const struct stmt *names, struct stmt *block,
			size_t at)
{
	while (at < block->nr && block->items[at]->kind == STMT_EXPR) {
		struct expr *e = block->items[at]->expr;
		bool is_set = e && e->kind == EXPR_ASSIGN && strcmp(e->text, "=") == 0;
		struct decl *d = is_set ? decl_of(names, e->items[0]) : NULL;
		if (!d || d->init || uses_any(t, e->items[1]))
			return;
		d->init = e->items[1];
		stmt_splice(t->k->a, block, at, stmt_new(t->k->a, STMT_BLOCK));
	}
}

/* The array's declaration stays only where something else uses it. How many stand in its place. */
static size_t name_vectors(struct table *t, struct variant *v, struct stmt *block, size_t at)
{
	struct stmt *names = stmt_new(t->k->a, STMT_BLOCK);
	size_t nr_others = 0;
	add_names(t, v, names);
	for (size_t i = at + 1; i < block->nr; i++) {
		look(t, block->items[i]);
		nr_others += t->nr_others;
	}
	rewrite_from(t, block, at + 1);
	take_values(t, names, block, at + 1);
	if (nr_others)
		stmt_add(t->k->a, names, block->items[at]);
	stmt_splice(t->k->a, block, at, names);
	return names->nr;
}

static void introduce_in(struct kernel *k, struct variant *v, struct stmt *s)
{
	for (size_t i = 0; s->kind == STMT_BLOCK && i < s->nr;) {
		struct table t = { .k = k, .decl = s->items[i]->decl };
		bool is_named = is_candidate(s->items[i]) && can_name(&t, s, i);
		i += is_named ? name_vectors(&t, v, s, i) : 1;
	}
	for (size_t i = 0; i < s->nr; i++)
		introduce_in(k, v, s->items[i]);
}

void vnames_introduce(struct kernel *k, struct variant *v)
{
	introduce_in(k, v, v->body);
}
