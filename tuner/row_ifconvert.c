#include "tuner/kernel.h"

/* A branch that only chooses a value becomes a choice, which vector lanes can do:
 *	if (c) a = e;	->   a = c ? e : a;		if (c) s += e;   ->   s += c ? e : 0;
 * The choice writes always. So an element must be one that is surely there, because it is read
 * anyway, and must not belong to another thread.
 */

#include <string.h>

#include "base/err.h"
#include "tuner/ir.h"
#include "tuner/rewrite.h"
#include "tuner/row.h"
#include "tuner/walk.h"

enum { CHOICES_MAX = 4 };

struct search {
	const struct expr *what;
	bool is_found;
};

/* Only what is evaluated in any case. */
static bool see_certain(void *ctx, const struct expr *e)
{
	struct search *s = ctx;
	s->is_found = s->is_found || expr_equal(e, s->what);
	bool is_maybe = e->kind == EXPR_CHOICE || strcmp(e->text ? e->text : "", "&&") == 0 ||
			strcmp(e->text ? e->text : "", "||") == 0;
	if (is_maybe && !s->is_found)
		walk_expr(&(struct walk){ ctx, see_certain, NULL }, e->items[0]);
	return !s->is_found && !is_maybe;
}

static bool reads_surely(const struct expr *e, const struct expr *what)
{
	struct search s = { .what = what };
	walk_expr(&(struct walk){ &s, see_certain, NULL }, e);
	return s.is_found;
}

static bool see_effect(void *ctx, const struct expr *e)
{
	bool *is_found = ctx;
	bool is_step = e->kind == EXPR_POSTFIX ||
		       (e->kind == EXPR_UNARY &&
			(strcmp(e->text, "++") == 0 || strcmp(e->text, "--") == 0));
	*is_found = *is_found || e->kind == EXPR_ASSIGN || is_step;
	return !*is_found;
}

static bool has_effect(const struct expr *e)
{
	bool is_found = false;
	walk_expr(&(struct walk){ &is_found, see_effect, NULL }, e);
	return is_found;
}

/* The assignments of a branch, 0 when there is anything else. */
static size_t list_choices(const struct stmt *s, struct expr *out[CHOICES_MAX])
{
	size_t nr = s->kind == STMT_BLOCK ? s->nr : 1;
	for (size_t i = 0; i < nr; i++) {
		const struct stmt *x = s->kind == STMT_BLOCK ? s->items[i] : s;
		struct expr *e = x->kind == STMT_EXPR ? x->expr : NULL;
		if (i == CHOICES_MAX || !e || e->kind != EXPR_ASSIGN || has_effect(e->items[0]) ||
		    has_effect(e->items[1]))
			return 0;
		if (e->items[0]->kind != EXPR_NAME && e->items[0]->kind != EXPR_INDEX)
			return 0;
		out[i] = e;
	}
	return nr;
}

static struct expr *choice(struct arena *a, const struct expr *c, struct expr *yes, struct expr *no)
{
	struct expr *e = expr_new(a, EXPR_CHOICE, "?", 3);
	e->items[0] = expr_clone(a, c);
	e->items[1] = yes;
	e->items[2] = no;
	return e;
}

/* What leaves the target as it is. */
static const char *neutral(const char *op)
{
	if (strcmp(op, "+=") == 0 || strcmp(op, "-=") == 0)
		return "0";
	return strcmp(op, "*=") == 0 ? "1" : NULL;
}

static struct expr *convert(struct arena *a, const struct expr *c, struct expr *e)
{
	struct expr *no = strcmp(e->text, "=") == 0 ? expr_clone(a, e->items[0])
						    : expr_number(a, neutral(e->text)[0] - '0');
	return expr_assign(a, e->text, e->items[0], choice(a, c, e->items[1], no));
}

struct conversion {
	struct kernel *k;
	struct variant *v;
	bool is_dealt; /* threads share the arrays */
	unsigned nr;
};

static bool may_convert(const struct conversion *x, const struct stmt *s, const struct expr *e)
{
	bool is_known = strcmp(e->text, "=") == 0 || neutral(e->text);
	bool is_there = e->items[0]->kind == EXPR_NAME ||
			(!x->is_dealt && reads_surely(s->expr, e->items[0]));
	return is_known && is_there;
}

/* if (c) t = a; else t = b; */
static bool is_two_way(const struct stmt *s)
{
	struct expr *yes[CHOICES_MAX];
	struct expr *no[CHOICES_MAX];
	return s->nr == 2 && list_choices(s->items[0], yes) == 1 &&
	       list_choices(s->items[1], no) == 1 && strcmp(yes[0]->text, no[0]->text) == 0 &&
	       expr_equal(yes[0]->items[0], no[0]->items[0]);
}

static struct stmt *convert_two_way(struct arena *a, const struct stmt *s)
{
	struct expr *yes[CHOICES_MAX];
	struct expr *no[CHOICES_MAX];
	list_choices(s->items[0], yes);
	list_choices(s->items[1], no);
	return stmt_expr(a, expr_assign(a, yes[0]->text, yes[0]->items[0],
					choice(a, s->expr, yes[0]->items[1], no[0]->items[1])));
}

/* Several targets: the condition is kept, as the first may change it. */
static struct stmt *convert_many(const struct conversion *x, const struct stmt *s,
				 struct expr *const *list, size_t nr)
{
	struct arena *a = x->k->a;
	struct stmt *block = stmt_new(a, STMT_BLOCK);
	const char *name = fresh_name(x->k, x->v, arena_printf(a, "is_taken%u", x->nr - 1));
	stmt_add(a, block,
		 stmt_decl(a, "const int", name,
			   expr_binary(a, "!=", expr_clone(a, s->expr), expr_number(a, 0))));
	for (size_t i = 0; i < nr; i++)
		stmt_add(a, block, stmt_expr(a, convert(a, expr_name(a, name), list[i])));
	return block;
}

static struct stmt *convert_if(struct conversion *x, struct stmt *s)
{
	struct expr *list[CHOICES_MAX];
	size_t nr = list_choices(s->items[0], list);
	if (has_effect(s->expr))
		return s;
	if (is_two_way(s)) {
		x->nr++;
		return convert_two_way(x->k->a, s);
	}
	for (size_t i = 0; i < nr; i++)
		if (!may_convert(x, s, list[i]))
			return s;
	if (s->nr != 1 || !nr)
		return s;
	x->nr++;
	return nr == 1 ? stmt_expr(x->k->a, convert(x->k->a, s->expr, list[0]))
		       : convert_many(x, s, list, nr);
}

static void convert_below(struct conversion *x, struct stmt *s)
{
	for (size_t i = 0; i < s->nr; i++) {
		convert_below(x, s->items[i]);
		if (s->items[i]->kind == STMT_IF)
			s->items[i] = convert_if(x, s->items[i]);
	}
}

static bool is_dealt(const struct variant *v, struct stmt *loop)
{
	for (struct stmt *at = loop; at; at = loop_around(v->body, at))
		if (at->loop->threads)
			return true;
	return false;
}

static const char *apply_to(struct kernel *k, struct variant *v, struct stmt *loop,
			    const struct row *row)
{
	struct conversion x = { .k = k, .v = v, .is_dealt = is_dealt(v, loop) };
	(void)row;
	convert_below(&x, loop);
	return x.nr ? NULL : "no branch in it only chooses values that are there";
}

int row_ifconvert(struct kernel *k, const struct row *row, struct err *e)
{
	return row_apply_each(k, row, apply_to, e);
}
