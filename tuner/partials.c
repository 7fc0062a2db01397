#include "tuner/partials.h"

/* A choice is exact only with a strict comparison: chunks that find nothing hand back what they
 * started from, and that must not win against an equal one that was found. */

#include <stdbool.h>
#include <string.h>

#include "base/mem.h"
#include "tuner/access.h"
#include "tuner/env.h"
#include "tuner/ir.h"
#include "tuner/kernel.h"
#include "tuner/reduce.h"
#include "tuner/walk.h"

static const char why_carried[] = "a variable goes from one iteration to the next";

struct choice {
	const struct accesses *list;
	const struct stmt *loop;
	const char *best; /* looked for */
	const struct stmt *found;
	const char *op;
};

struct use_count {
	const char *name;
	unsigned nr;
};

static bool see_use(void *ctx, const struct expr *e)
{
	struct use_count *c = ctx;
	c->nr += expr_is_name(e, c->name);
	return true;
}

static unsigned count_uses(const struct stmt *s, const char *name)
{
	struct use_count c = { .name = name };
	walk_stmt(&(struct walk){ .ctx = &c, .see_expr = see_use }, s);
	return c.nr;
}

static bool is_listed(const struct accesses *list, const char *name)
{
	for (size_t i = 0; i < list->nr_scalars; i++)
		if (strcmp(list->scalars[i], name) == 0)
			return true;
	return false;
}

/* "name = value", name a changed scalar of the outside. */
static const struct expr *plain_set(const struct choice *c, const struct stmt *s)
{
	const struct expr *e = s->kind == STMT_EXPR ? s->expr : NULL;
	bool is_set = e && e->kind == EXPR_ASSIGN && strcmp(e->text, "=") == 0 &&
		      e->items[0]->kind == EXPR_NAME && is_listed(c->list, e->items[0]->text);
	return is_set ? e : NULL;
}

/* What is compared with the best, NULL when the condition has another form. */
static const struct expr *rival(struct choice *c, const struct expr *cond)
{
	bool is_strict = cond->kind == EXPR_BINARY && strchr("<>", cond->text[0]) && !cond->text[1];
	if (!is_strict ||
	    expr_is_name(cond->items[0], c->best) == expr_is_name(cond->items[1], c->best))
		return NULL;
	bool is_left = expr_is_name(cond->items[0], c->best);
	c->op = (cond->text[0] == '<') == is_left ? "max" : "min";
	return cond->items[is_left ? 1 : 0];
}

/* The one statement of a choice is the block that it guards. */
static bool sets_only(struct choice *c, const struct stmt *s)
{
	const struct expr *other = rival(c, s->expr);
	const struct stmt *block = s->items[0];
	bool sets_best = false;
	if (!other || s->nr != 1 || block->kind != STMT_BLOCK)
		return false;
	for (size_t i = 0; i < block->nr; i++) {
		const struct expr *e = plain_set(c, block->items[i]);
		bool is_best = e && expr_is_name(e->items[0], c->best);
		if (!e || (is_best && (sets_best || !expr_equal(e->items[1], other))) ||
		    count_uses(c->loop, e->items[0]->text) != (is_best ? 2u : 1u))
			return false;
		sets_best = sets_best || is_best;
	}
	return sets_best;
}

static bool see_choice(void *ctx, const struct stmt *s)
{
	struct choice *c = ctx;
	if (!c->found && s->kind == STMT_IF && sets_only(c, s))
		c->found = s;
	return !c->found;
}

static bool has(const struct partials *p, const char *name)
{
	for (size_t i = 0; i < p->nr; i++)
		if (strcmp(p->items[i].name, name) == 0)
			return true;
	return false;
}

static bool add(struct partials *p, const struct env *env, const char *name, const char *op)
{
	const struct meaning *m = env_find(env, name);
	bool is_scalar = m && m->decl && !*m->decl->stars && !m->decl->nr_dims;
	if (!is_scalar || p->nr == PARTIALS_MAX)
		return false;
	p->items[p->nr++] = (struct partial){ .name = name, .type = m->decl->type, .op = op };
	return true;
}

static bool add_choice(struct partials *p, const struct env *env, const struct choice *c)
{
	const struct stmt *block = c->found->items[0];
	if (!add(p, env, c->best, c->op))
		return false;
	for (size_t i = 0; i < block->nr; i++) {
		const char *name = block->items[i]->expr->items[0]->text;
		if (strcmp(name, c->best) != 0 && !add(p, env, name, NULL))
			return false;
	}
	return true;
}

const char *partials_find(struct partials *out, const struct variant *v, const struct stmt *loop,
			  const struct accesses *list, struct arena *a)
{
	AUTO_FREE struct env *env = xmalloc(sizeof(*env));
	*out = (struct partials){ 0 };
	if (stmt_has_opaque(loop) || !env_open(env, &v->view, loop, a))
		return why_carried;
	for (size_t i = 0; i < list->nr_scalars; i++) {
		struct choice c = { .list = list, .loop = loop, .best = list->scalars[i] };
		const char *op = reduce_operation(loop, c.best);
		if (!op)
			walk_stmt(&(struct walk){ &c, NULL, see_choice }, loop);
		if (op ? !add(out, env, c.best, op) : c.found && !add_choice(out, env, &c))
			return why_carried;
	}
	for (size_t i = 0; i < list->nr_scalars; i++)
		if (!has(out, list->scalars[i]))
			return why_carried;
	return NULL;
}
