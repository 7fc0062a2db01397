#include "tuner/fusion.h"

/* In the source every iteration of the first loop comes before any of the second. Side by side that
 * holds only for i <= j + delay, so no other pair may touch the same element. */

#include <string.h>

#include "base/mem.h"
#include "tuner/cparse.h"
#include "tuner/env.h"
#include "tuner/ir.h"
#include "tuner/kernel.h"
#include "tuner/proof.h"
#include "tuner/rewrite.h"
#include "tuner/walk.h"

static bool see_loop(void *ctx, const struct stmt *s)
{
	bool *is_found = ctx;
	*is_found = *is_found || s->kind == STMT_LOOP || s->kind == STMT_FOR ||
		    s->kind == STMT_WHILE || s->kind == STMT_DO;
	return !*is_found;
}

bool stmt_has_loop(const struct stmt *s)
{
	bool is_found = false;
	walk_stmt(&(struct walk){ &is_found, NULL, see_loop }, s);
	return is_found;
}

static bool see_fixed(void *ctx, const struct stmt *s)
{
	bool *is_found = ctx;
	*is_found = *is_found || (s->loop && s->loop->threads);
	return !*is_found;
}

/* "continue" would leave what is merged behind it undone. */
static bool see_continue(void *ctx, const struct stmt *s)
{
	bool *is_found = ctx;
	bool is_inner = s->kind == STMT_FOR || s->kind == STMT_WHILE || s->kind == STMT_DO ||
			s->kind == STMT_LOOP;
	if (s->kind == STMT_JUMP && s->text[0] == 'c')
		*is_found = true;
	return !is_inner && !*is_found;
}

static bool has_continue(const struct stmt *loop)
{
	bool is_found = false;
	walk_stmt(&(struct walk){ &is_found, NULL, see_continue }, loop->items[0]);
	return is_found;
}

static const char *unsuitable(const struct stmt *loop)
{
	bool is_dealt = false;
	walk_stmt(&(struct walk){ &is_dealt, NULL, see_fixed }, loop);
	if (is_dealt)
		return "a loop is dealt out to threads already";
	if (loop->loop->is_simd || loop->loop->role != LOOP_PLAIN)
		return "a loop runs in lanes or registers already";
	return has_continue(loop) ? "it skips parts of its body" : NULL;
}

const char *sweep_study(struct sweep *s, const struct variant *v, const struct stmt *loop,
			struct arena *a)
{
	AUTO_FREE struct env *env = xmalloc(sizeof(*env));
	*s = (struct sweep){ .loop = loop };
	const char *why = loop->kind == STMT_LOOP ? unsuitable(loop) : "it is no counting loop";
	if (why)
		return why;
	accesses_collect(&s->list, &v->view, loop, a);
	if (s->list.trouble || s->list.has_exit)
		return s->list.trouble ? s->list.trouble : "it may be left early";
	if (!env_open(env, &v->view, loop, a))
		return "its names are not understood";
	s->lo = env_poly(env, loop->loop->lo);
	s->hi = env_poly(env, loop->loop->hi);
	return NULL;
}

bool sweep_offsets(const struct sweep *first, const struct sweep *second, int64_t *lo, int64_t *hi)
{
	struct poly at_lo = poly_subtract(&second->lo, &first->lo);
	struct poly at_hi = poly_subtract(&second->hi, &first->hi);
	return first->loop->loop->step == second->loop->loop->step && poly_is_number(&at_lo, lo) &&
	       poly_is_number(&at_hi, hi) && (first->loop->loop->step == 1 || *lo == 0);
}

/* A variable that one changes and the other uses. */
static const char *shared_variable(const struct sweep *changer, const struct stmt *user)
{
	for (size_t i = 0; i < changer->list.nr_scalars; i++)
		if (stmt_uses(user, changer->list.scalars[i]))
			return changer->list.scalars[i];
	return NULL;
}

static const char *clash(const struct sweep *first, const struct sweep *second, int64_t apart)
{
	for (size_t i = 0; i < first->list.nr; i++) {
		const struct access *x = first->list.items[i];
		for (size_t j = 0; j < second->list.nr; j++) {
			const struct access *y = second->list.items[j];
			bool is_one = strcmp(x->array, y->array) == 0;
			if (is_one && (x->is_write || y->is_write) && !proof_follows(x, y, apart))
				return x->array;
		}
	}
	return NULL;
}

const char *sweep_follows(const struct sweep *first, const struct sweep *second, int64_t delay,
			  struct arena *a)
{
	const char *name = shared_variable(first, second->loop);
	name = name ? name : shared_variable(second, first->loop);
	if (name)
		return arena_printf(a, "one loop needs %s as the other leaves it", name);
	name = clash(first, second, delay + first->loop->loop->step);
	return name ? arena_printf(a, "the second would come too early for elements of %s", name)
		    : NULL;
}

int64_t sweep_delay(const struct sweep *first, const struct sweep *second, struct arena *a)
{
	int64_t step = first->loop->loop->step;
	for (int64_t n = 0; n <= DELAY_MAX; n++)
		if (!sweep_follows(first, second, n * step, a))
			return n * step;
	return -1;
}

static void part_name(const struct kernel *k, const struct variant *v, const char *name,
		      struct stmt *second)
{
	if (stmt_declares(second->items[0], name))
		stmt_rename(k->a, second->items[0], name, fresh_name(k, v, name));
}

void sweep_part_names(const struct kernel *k, const struct variant *v, const struct stmt *first,
		      struct stmt *second)
{
	const struct stmt *body = first->items[0];
	part_name(k, v, first->loop->var, second);
	if (body->kind == STMT_DECL)
		part_name(k, v, body->decl->name, second);
	for (size_t i = 0; body->kind == STMT_BLOCK && i < body->nr; i++)
		if (body->items[i]->kind == STMT_DECL)
			part_name(k, v, body->items[i]->decl->name, second);
}
