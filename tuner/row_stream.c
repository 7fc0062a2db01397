#include "tuner/kernel.h"

/* Whole vectors that are written to an operand go past the caches: what is not read again soon need
 * not push out what is. Such a store must be aligned. Operands are (the contract says so), places
 * in them where every term of the subscript is a multiple of the vector. The fence comes behind the
 * outermost loop; threads of a dealt loop order their stores when they meet at its end. */

#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "tuner/env.h"
#include "tuner/ir.h"
#include "tuner/rewrite.h"
#include "tuner/row.h"
#include "tuner/vtype.h"
#include "tuner/walk.h"

enum { MULTIPLE_MAX = 64, LOOPS_DEPTH = 16 };

struct streaming {
	struct kernel *k;
	struct variant *v;
	struct env *env; /* at the statement under consideration */
	const char *array;
	const char *why;
	size_t nr_streamed;
	bool is_read;
};

static int64_t gcd(int64_t a, int64_t b)
{
	while (b) {
		int64_t rest = a % b;
		a = b;
		b = rest;
	}
	return a < 0 ? -a : a;
}

static const struct loop *loop_with(const struct env *env, const char *label)
{
	for (size_t i = env->nr; i > 0; i--) {
		const struct stmt *s = env->items[i - 1].loop;
		if (s && strcmp(s->loop->label, label) == 0)
			return s->loop;
	}
	return NULL;
}

static int64_t poly_multiple(struct env *env, const struct poly *p, unsigned depth);

/* A power of two that divides every value of the symbol. */
static int64_t symbol_multiple(struct env *env, const char *name, unsigned depth)
{
	const struct loop *l = loop_with(env, name);
	if (!l || !depth)
		return 1;
	struct poly lo = env_poly(env, l->lo);
	return gcd(poly_multiple(env, &lo, depth - 1), gcd(l->step, MULTIPLE_MAX));
}

static int64_t poly_multiple(struct env *env, const struct poly *p, unsigned depth)
{
	int64_t all = MULTIPLE_MAX;
	for (unsigned i = 0; !p->is_unknown && i < p->nr; i++) {
		int64_t one = gcd(p->terms[i].factor, MULTIPLE_MAX);
		for (unsigned j = 0; j < p->terms[i].nr; j++)
			one = gcd(one * symbol_multiple(env, p->terms[i].names[j], depth),
				  MULTIPLE_MAX);
		all = gcd(all, one);
	}
	return p->is_unknown ? 1 : all;
}

/* The operand that an element lies in, and its subscript there; NULL: not known. */
static const char *operand_of(struct env *env, const struct expr *element, struct poly *at)
{
	if (element->kind != EXPR_INDEX)
		return NULL;
	const char *array = env_array(env, element->items[0], at);
	const struct meaning *m = array ? env_find(env, array) : NULL;
	struct poly sub = env_poly(env, element->items[1]);
	*at = poly_add(at, &sub);
	return m && m->param ? array : NULL;
}

static bool see_load(void *ctx, const struct expr *e)
{
	struct streaming *s = ctx;
	struct vtype type;
	struct poly at;
	const struct expr *element = vtype_element(e, &type);
	const char *array = element ? operand_of(s->env, element, &at) : NULL;
	s->is_read = s->is_read || (array && strcmp(array, s->array) == 0);
	return true;
}

static void stream_store(struct streaming *s, struct stmt *line)
{
	struct vtype type;
	struct poly at;
	struct expr *e = line->expr;
	if (!env_open(s->env, &s->v->view, line, s->k->a))
		return;
	walk_expr(&(struct walk){ .ctx = s, .see_expr = see_load }, e->items[1]);
	const struct expr *element = vtype_element(e->items[0], &type);
	const char *array = element ? operand_of(s->env, element, &at) : NULL;
	if (!array || strcmp(array, s->array) != 0)
		return;
	if (strcmp(e->text, "=") != 0) {
		s->is_read = true;
		return;
	}
	if (poly_multiple(s->env, &at, LOOPS_DEPTH) % type.lanes != 0) {
		s->why = "a place in it is not known to be aligned";
		return;
	}
	struct expr *address = expr_new(s->k->a, EXPR_UNARY, "&", 1);
	address->items[0] = expr_clone(s->k->a, element);
	line->expr =
		vtype_call(&type, s->k, "stream", (struct expr *[]){ address, e->items[1] }, 2);
	s->nr_streamed++;
}

static void stream_in(struct streaming *s, struct stmt *parent)
{
	for (size_t i = 0; i < parent->nr; i++) {
		struct stmt *item = parent->items[i];
		if (item->kind == STMT_EXPR && item->expr && item->expr->kind == EXPR_ASSIGN)
			stream_store(s, item);
		else
			stream_in(s, item);
	}
}

static struct stmt *fence(struct arena *a)
{
	struct expr *call = expr_new(a, EXPR_CALL, NULL, 1);
	call->items[0] = expr_name(a, "__builtin_ia32_sfence");
	return stmt_expr(a, call);
}

/* The body anew: each of its statements that holds such stores has a fence behind it. */
static struct stmt *streamed(struct streaming *s)
{
	struct arena *a = s->k->a;
	struct stmt *out = stmt_new(a, STMT_BLOCK);
	const struct stmt *body = s->v->body;
	for (size_t i = 0; i < body->nr; i++) {
		struct stmt *item = body->items[i];
		struct stmt *holder = stmt_new(a, STMT_BLOCK);
		size_t nr = s->nr_streamed;
		stmt_add(a, holder, item);
		stream_in(s, holder);
		stmt_add(a, out, item);
		if (s->nr_streamed > nr)
			stmt_add(a, out, fence(a));
	}
	return out;
}

static const char *apply_to(struct kernel *k, struct variant *v, struct stmt *loop,
			    const struct row *row)
{
	AUTO_FREE struct env *env = xmalloc(sizeof(*env));
	struct stmt *before = v->body;
	size_t nr_texts = k->texts.nr;
	struct streaming s = { .k = k,
			       .v = v,
			       .env = env,
			       .array = row_get(row, "array"),
			       .why = "no vector is written to it" };
	(void)loop;
	v->body = stmt_clone(k->a, before);
	v->view.body = v->body;
	struct stmt *after = streamed(&s);
	bool is_done = s.nr_streamed && !s.is_read;
	v->body = is_done ? after : before;
	v->view.body = v->body;
	if (!is_done)
		kernel_forget_texts(k, nr_texts);
	return is_done ? NULL : s.is_read ? "it is read as well" : s.why;
}

int row_stream(struct kernel *k, const struct row *row, struct err *e)
{
	return row_apply_each(k, row, apply_to, e);
}
