#include "tuner/grid.h"

/* Two accesses from different iterations of the outer loop never meet, that is what its own proof
 * says; from one iteration of it but two of the inner loop they do not by the inner loop's. What is
 * left is what stands beside the inner loop: every column runs it at its own time, so it may only
 * write what belongs to the iteration, and read nothing that columns write. And as a column has its
 * own copy of what the outer loop declares, the inner loop may not write that. */

#include <stdbool.h>
#include <string.h>

#include "base/mem.h"
#include "tuner/access.h"
#include "tuner/env.h"
#include "tuner/ir.h"
#include "tuner/kernel.h"
#include "tuner/proof.h"
#include "tuner/rewrite.h"
#include "tuner/walk.h"

struct search {
	const char *label;
	const struct stmt *found;
	unsigned nr;
};

static bool see_label(void *ctx, const struct stmt *s)
{
	struct search *search = ctx;
	if (s->loop && strcmp(s->loop->label, search->label) == 0) {
		search->found = s;
		search->nr++;
	}
	return true;
}

/* A bound that means the same in front of the loop: numbers, arithmetic, names from outside. */
struct bound {
	const struct env *env;
	const struct stmt *loop;
	bool is_tied;
};

static bool see_bound(void *ctx, const struct expr *e)
{
	struct bound *b = ctx;
	bool is_value = e->kind == EXPR_NUMBER || e->kind == EXPR_BINARY ||
			e->kind == EXPR_CHOICE || e->kind == EXPR_CAST;
	const struct meaning *m = e->kind == EXPR_NAME ? env_find(b->env, e->text) : NULL;
	bool is_outside = m && !m->is_inside && !stmt_changes(b->loop, e->text);
	b->is_tied = b->is_tied || (!is_value && !is_outside);
	return !b->is_tied;
}

static bool is_free(const struct variant *v, const struct stmt *loop, const struct stmt *inner,
		    struct arena *a)
{
	AUTO_FREE struct env *env = xmalloc(sizeof(*env));
	struct bound b = { .env = env, .loop = loop };
	const struct walk w = { .ctx = &b, .see_expr = see_bound };
	if (!env_open(env, &v->view, loop, a))
		return false;
	walk_expr(&w, inner->loop->lo);
	walk_expr(&w, inner->loop->hi);
	return !b.is_tied;
}

const struct stmt *grid_inner(const struct variant *v, const struct stmt *loop, const char *label,
			      struct arena *a)
{
	struct search search = { .label = label };
	walk_stmt(&(struct walk){ &search, NULL, see_label }, loop);
	bool is_below = search.nr == 1 && search.found != loop;
	return is_below && is_free(v, loop, search.found, a) ? search.found : NULL;
}

static bool is_in(const struct access *x, const struct stmt *inner)
{
	for (size_t i = 0; i < x->nr_loops; i++)
		if (x->loops[i].stmt == inner)
			return true;
	return false;
}

static bool inner_writes(const struct accesses *list, const struct stmt *inner, const char *array)
{
	for (size_t i = 0; i < list->nr; i++) {
		const struct access *x = list->items[i];
		if (x->is_write && is_in(x, inner) && strcmp(x->array, array) == 0)
			return true;
	}
	return false;
}

/* What stands beside the inner loop. */
static const char *beside(const struct accesses *all, const struct stmt *inner, struct arena *a)
{
	for (size_t i = 0; i < all->nr; i++) {
		const struct access *x = all->items[i];
		if (is_in(x, inner))
			continue;
		if (x->is_write)
			return arena_printf(a, "every column would write %s", x->array);
		if (inner_writes(all, inner, x->array))
			return arena_printf(a, "every column would read %s while others write it",
					    x->array);
	}
	return NULL;
}

struct owner {
	const char *name;
	bool is_found;
};

static bool see_decl(void *ctx, const struct stmt *s)
{
	struct owner *o = ctx;
	o->is_found = o->is_found || (s->decl && strcmp(s->decl->name, o->name) == 0);
	return !o->is_found;
}

static bool declares(const struct stmt *s, const char *name)
{
	struct owner o = { .name = name };
	walk_stmt(&(struct walk){ &o, NULL, see_decl }, s);
	return o.is_found;
}

const char *grid_trouble(const struct variant *v, const struct stmt *loop, const struct stmt *inner,
			 struct arena *a)
{
	struct accesses all;
	struct accesses own;
	const char *trouble = proof_independent(&v->view, inner, a);
	if (trouble)
		return arena_printf(a, "of the loop inside: %s", trouble);
	if (stmt_has_jump(loop))
		return "a jump may leave out a part of a column";
	accesses_collect(&all, &v->view, loop, a);
	accesses_collect(&own, &v->view, inner, a);
	for (size_t i = 0; i < own.nr; i++)
		if (own.items[i]->is_write && declares(loop, own.items[i]->array))
			return arena_printf(a, "columns would each have a part of %s",
					    own.items[i]->array);
	return beside(&all, inner, a);
}
