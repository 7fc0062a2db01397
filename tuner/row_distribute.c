#include "tuner/kernel.h"

/* A loop whose body does several things becomes several loops, one for each. What one of them hands
 * on to a later one in a local goes through an array with a place for every iteration:
 *	for (i...) { T x = f(i); g(i, x); }   ->   for (i...) x_all[i] = f(i); for (i...) g(i,
 *x_all[i]);
 */

#include <string.h>

#include "base/err.h"
#include "tuner/fusion.h"
#include "tuner/ir.h"
#include "tuner/rewrite.h"
#include "tuner/row.h"
#include "tuner/walk.h"

enum { LOCAL_ELEMENTS = 4096, LOCALS_MAX = 8 };

struct cut {
	struct kernel *k;
	struct variant *v;
	struct stmt *first;
	struct stmt *second;
	struct stmt *block; /* arrays for locals, then both loops */
	unsigned nr_locals;
	int64_t trips; /* -1: not known */
};

static struct stmt *make_loop(struct arena *a, const struct stmt *like, size_t from, size_t to)
{
	struct stmt *s = stmt_new(a, STMT_LOOP);
	struct stmt *body = stmt_new(a, STMT_BLOCK);
	s->loop = arena_alloc(a, sizeof(*s->loop));
	*s->loop = *like->loop;
	s->loop->lo = expr_clone(a, like->loop->lo);
	s->loop->hi = expr_clone(a, like->loop->hi);
	for (size_t i = from; i < to; i++)
		stmt_add(a, body, stmt_clone(a, like->items[0]->items[i]));
	stmt_add(a, s, body);
	return s;
}

static const char *plain_type(struct arena *a, const char *type)
{
	return strncmp(type, "const ", 6) == 0 ? arena_strdup(a, type + 6) : type;
}

static struct stmt *array_decl(struct arena *a, const char *type, const char *name, int64_t nr)
{
	struct stmt *s = stmt_decl(a, type, name, NULL);
	s->decl->nr_dims = 1;
	s->decl->dims = arena_array(a, 1, sizeof(*s->decl->dims));
	s->decl->dims[0] = expr_number(a, nr);
	return s;
}

/* The local's declaration in the first loop becomes an assignment to its place. */
static const char *expand(struct cut *c, struct stmt *decl)
{
	struct arena *a = c->k->a;
	const struct loop *l = c->first->loop;
	const struct decl d = *decl->decl;
	if (c->trips < 1 || c->trips > LOCAL_ELEMENTS || l->step != 1 ||
	    c->nr_locals++ == LOCALS_MAX)
		return "a local is handed on, and there are too many iterations to keep it for "
		       "each";
	const char *name = fresh_name(c->k, c->v, arena_printf(a, "%s_all", d.name));
	struct expr *at = expr_binary(a, "-", expr_name(a, l->var), expr_clone(a, l->lo));
	struct expr *place = expr_index(a, expr_name(a, name), at);
	struct stmt *set = stmt_expr(a, NULL);
	if (d.init)
		set->expr = expr_assign(a, "=", expr_clone(a, place), d.init);
	*decl = *set;
	stmt_substitute(a, c->first, expr_name(a, d.name), place);
	stmt_substitute(a, c->second, expr_name(a, d.name), place);
	stmt_add(a, c->block, array_decl(a, plain_type(a, d.type), name, c->trips));
	return NULL;
}

static const char *part_locals(struct cut *c)
{
	struct arena *a = c->k->a;
	struct stmt *from = c->first->items[0];
	struct stmt *to = stmt_new(a, STMT_BLOCK);
	for (size_t i = 0; i < from->nr; i++) {
		struct stmt *s = from->items[i];
		if (s->kind != STMT_DECL || !stmt_uses(c->second, s->decl->name))
			continue;
		if (s->decl->nr_dims || (*s->decl->stars && !s->decl->init))
			return "a local array is handed on";
		const char *why = NULL;
		if (*s->decl->stars)
			stmt_add(a, to, stmt_clone(a, s));
		else
			why = expand(c, s);
		if (why)
			return why;
	}
	for (size_t i = 0; i < c->second->items[0]->nr; i++)
		stmt_add(a, to, c->second->items[0]->items[i]);
	c->second->items[0] = to;
	return NULL;
}

/* Both loops stand in the tree already. */
static const char *check(struct cut *c)
{
	struct sweep first;
	struct sweep second;
	const char *why = sweep_study(&first, c->v, c->first, c->k->a);
	why = why ? why : sweep_study(&second, c->v, c->second, c->k->a);
	return why ? why : sweep_follows(&first, &second, 0, c->k->a);
}

static bool does_something(const struct stmt *body, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		if (body->items[i]->kind != STMT_DECL && body->items[i]->kind != STMT_JUMP)
			return true;
	return false;
}

static const char *try_cut(struct cut *c, struct place at, size_t where)
{
	struct arena *a = c->k->a;
	struct stmt *loop = at.parent->items[at.at];
	c->block = stmt_new(a, STMT_BLOCK);
	c->nr_locals = 0;
	c->first = make_loop(a, loop, 0, where);
	c->second = make_loop(a, loop, where, loop->items[0]->nr);
	c->second->loop->label = arena_printf(a, "%sd", loop->loop->label);
	const char *why = part_locals(c);
	stmt_add(a, c->block, c->first);
	stmt_add(a, c->block, c->second);
	at.parent->items[at.at] = c->block;
	why = why ? why : check(c);
	if (why)
		at.parent->items[at.at] = loop;
	return why;
}

/* Cuts at the first place where it is legal, then the rest. */
static const char *cut_loop(struct kernel *k, struct variant *v, struct place at)
{
	struct stmt *loop = at.parent->items[at.at];
	const char *why = "its body is one statement";
	const struct stmt *body = loop->items[0];
	for (size_t i = 1; body->kind == STMT_BLOCK && i < body->nr; i++) {
		struct cut c = { .k = k, .v = v, .trips = loop_trips(v, loop, k->a) };
		if (body->items[i - 1]->kind == STMT_DECL || !does_something(body, 0, i) ||
		    !does_something(body, i, body->nr))
			continue;
		why = try_cut(&c, at, i);
		if (why)
			continue;
		size_t last = c.block->nr - 1;
		cut_loop(k, v, (struct place){ c.block, last });
		if (c.block->items[last]->kind == STMT_BLOCK)
			stmt_splice(k->a, c.block, last, c.block->items[last]);
		return NULL;
	}
	return why;
}

static const char *apply_to(struct kernel *k, struct variant *v, struct stmt *loop,
			    const struct row *row)
{
	struct place at;
	(void)row;
	const char *why = place_find(v->body, loop, &at) ? cut_loop(k, v, at) : "it is not there";
	if (!why && at.parent->kind == STMT_BLOCK) {
		struct stmt *block = at.parent->items[at.at];
		stmt_splice(k->a, at.parent, at.at, block);
	}
	return why;
}

int row_distribute(struct kernel *k, const struct row *row, struct err *e)
{
	return row_apply_each(k, row, apply_to, e);
}
