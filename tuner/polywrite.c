#include "tuner/polywrite.h"

/* Positive terms first, so that no minus stands in front. A product gets 64 bits, which polynomials
 * silently assume, even where the counters have fewer. */

#include <string.h>

#include "base/mem.h"
#include "tuner/cparse.h"
#include "tuner/env.h"
#include "tuner/ir.h"
#include "tuner/kernel.h"

struct writer {
	struct env *env;
	const struct variant *v;
};

static bool is_wide(const struct writer *p, const char *name)
{
	const struct stmt *loop = kernel_loop(p->v, name);
	const struct meaning *m = env_find(p->env, name);
	const char *type = loop            ? loop->loop->type
			   : m && m->param ? m->param->type
			   : m && m->decl  ? m->decl->type
					   : "int";
	return strstr(type, "64_t") || strstr(type, "long") || strstr(type, "size_t") ||
	       strstr(type, "ptrdiff_t");
}

/* A symbol of a polynomial: the counter of a loop around, a name, or the text of an expression. */
static struct expr *symbol(const struct writer *p, const char *name, bool is_factor)
{
	struct arena *a = p->env->a;
	const struct stmt *loop = kernel_loop(p->v, name);
	bool is_text = !loop && strpbrk(name, " +-*/%()") != NULL;
	struct expr *e = loop      ? expr_name(a, loop->loop->var)
			 : is_text ? expr_new(a, EXPR_TEXT, arena_printf(a, "(%s)", name), 0)
				   : expr_name(a, name);
	if (!is_factor || is_wide(p, name))
		return e;
	struct expr *cast = expr_new(a, EXPR_CAST, "int64_t", 1);
	cast->items[0] = e;
	return cast;
}

static struct expr *term_expr(const struct writer *p, const struct term *t)
{
	struct arena *a = p->env->a;
	int64_t factor = t->factor < 0 ? -t->factor : t->factor;
	if (!t->nr)
		return expr_number(a, factor);
	struct expr *e = symbol(p, t->names[0], t->nr > 1 || factor > 1);
	for (unsigned i = 1; i < t->nr; i++)
		e = expr_binary(a, "*", e, symbol(p, t->names[i], true));
	return expr_binary(a, "*", e, expr_number(a, factor));
}

struct expr *poly_write(const struct poly *poly, struct env *env, const struct variant *v)
{
	const struct writer w = { env, v };
	struct expr *sum = expr_number(env->a, 0);
	for (int is_negative = 0; is_negative < 2; is_negative++)
		for (unsigned i = 0; i < poly->nr; i++)
			if ((poly->terms[i].factor < 0) == is_negative)
				sum = expr_binary(env->a, is_negative ? "-" : "+", sum,
						  term_expr(&w, &poly->terms[i]));
	return sum;
}
