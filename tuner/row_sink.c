#include "tuner/kernel.h"

/* The iterations of a loop, u at a time, side by side: the strip loop is pushed inward around every
 * statement. A scalar that the loop reduces gets u partial results, put together behind it. What
 * does not fill a strip runs one by one, or in a strip that overlaps the last one, where iterations
 * may run twice, or in one that goes beyond the end, where nobody looks at what is there. */

#include <string.h>

#include "base/err.h"
#include "tuner/access.h"
#include "tuner/again.h"
#include "tuner/beyond.h"
#include "tuner/cut.h"
#include "tuner/ir.h"
#include "tuner/lanes.h"
#include "tuner/plain.h"
#include "tuner/push.h"
#include "tuner/reduce.h"
#include "tuner/reorder.h"
#include "tuner/rewrite.h"
#include "tuner/row.h"
#include "tuner/walk.h"

enum { SINK_MAX = 256, COPIES_MAX = 16 };

static int parse_role(const struct row *row, enum loop_role *out, struct err *e)
{
	static const struct {
		const char *name;
		enum loop_role role;
	} roles[] = { { "lanes", LOOP_LANES },
		      { "registers", LOOP_REGISTERS },
		      { "plain", LOOP_PLAIN } };
	const char *as = row_get(row, "as");
	for (size_t i = 0; i < ARRAY_LEN(roles); i++) {
		if (strcmp(as, roles[i].name) == 0) {
			*out = roles[i].role;
			return 0;
		}
	}
	return err_set(e, ERR_INPUT, "as must be lanes, registers or plain");
}

enum rest { REST_LOOP, REST_OVERLAP, REST_BEYOND };

static int parse_rest(const struct row *row, enum rest *out, struct err *e)
{
	static const char *const names[] = { "loop", "overlap", "beyond" };
	const char *rest = row_get(row, "rest");
	*out = REST_LOOP;
	for (size_t i = 0; rest && i < ARRAY_LEN(names); i++) {
		if (strcmp(rest, names[i]) == 0) {
			*out = (enum rest)i;
			return 0;
		}
	}
	return rest ? err_set(e, ERR_INPUT, "rest must be loop, overlap or beyond") : 0;
}

/* What the row's keys say. */
struct wish {
	long u;
	enum loop_role role;
	enum rest rest;
};

static int parse_wish(const struct row *row, struct wish *w, struct err *e)
{
	if (row_get_number(row, "u", 2, SINK_MAX, &w->u, e) < 0 || parse_role(row, &w->role, e) < 0)
		return -1;
	return parse_rest(row, &w->rest, e);
}

/* The partial results of one reduction. */
struct partial {
	const char *name;
	const char *op;
	const char *type;
	const char *array;
};

static struct expr *element(const struct cut *c, const struct partial *p)
{
	struct arena *a = c->k->a;
	return expr_index(a, expr_name(a, p->array), expr_name(a, c->var));
}

static bool is_choice(const struct partial *p)
{
	return p->op[0] == 'm';
}

/* A largest or least value may start from what is there already. */
static struct expr *neutral(struct arena *a, const struct partial *p)
{
	if (is_choice(p))
		return expr_name(a, p->name);
	return expr_number(a, p->op[0] == '*');
}

static struct expr *combine(const struct cut *c, const struct partial *p)
{
	struct arena *a = c->k->a;
	struct expr *name = expr_name(a, p->name);
	if (!is_choice(p))
		return expr_assign(a, p->op[0] == '*' ? "*=" : "+=", name, element(c, p));
	struct expr *choice = expr_new(a, EXPR_CHOICE, "?", 3);
	choice->items[0] = expr_binary(a, strcmp(p->op, "max") == 0 ? ">" : "<", element(c, p),
				       expr_name(a, p->name));
	choice->items[1] = element(c, p);
	choice->items[2] = expr_name(a, p->name);
	return expr_assign(a, "=", name, choice);
}

static void add_strip(struct cut *c, struct stmt *block, enum loop_role role, struct expr *e)
{
	struct stmt *strip = cut_strip(c, role);
	stmt_add(c->k->a, strip->items[0], stmt_expr(c->k->a, e));
	stmt_add(c->k->a, block, strip);
}

/* Statements in front of the loop and behind it; inside, the partial results stand for the name. */
static void split_result(struct cut *c, enum loop_role role, const struct partial *p,
			 struct stmt *before, struct stmt *after)
{
	struct arena *a = c->k->a;
	struct stmt *decl = stmt_decl(a, p->type, p->array, NULL);
	decl->decl->dims = arena_array(a, 1, sizeof(struct expr *));
	decl->decl->dims[0] = expr_number(a, c->u);
	decl->decl->nr_dims = 1;
	stmt_add(a, before, decl);
	add_strip(c, before, role, expr_assign(a, "=", element(c, p), neutral(a, p)));
	stmt_substitute(a, c->main->items[0], expr_name(a, p->name), element(c, p));
	stmt_drop_reduction(c->main->items[0], p->name);
	add_strip(c, after, LOOP_PLAIN, combine(c, p));
}

static const char *split_results(struct cut *c, enum loop_role role, struct stmt *before,
				 struct stmt *after)
{
	struct accesses list;
	accesses_collect(&list, &c->v->view, c->loop, c->k->a);
	for (size_t i = 0; i < list.nr_scalars; i++) {
		const char *name = list.scalars[i];
		const char *array = arena_printf(c->k->a, "%s_part", name);
		struct partial p = { .name = name,
				     .op = reduce_operation(c->loop, name),
				     .type = element_type(c->v, name),
				     .array = fresh_name(c->k, c->v, array) };
		if (!p.op || !p.type)
			return arena_printf(c->k->a, "the type of %s is not known", name);
		split_result(c, role, &p, before, after);
	}
	return NULL;
}

/* Compilers see such a strip as one more short loop to unroll, unless they are told. */
static void mark_lanes(const struct cut *c, struct stmt *s)
{
	struct lanes lanes;
	bool is_strip = s->kind == STMT_LOOP && s->loop->role == LOOP_LANES &&
			strcmp(s->loop->var, c->var) == 0;
	if (is_strip && !lanes_check(&c->v->view, s, &lanes, c->k->a) && !*lanes.reductions)
		s->loop->is_simd = true;
	for (size_t i = 0; i < s->nr; i++)
		mark_lanes(c, s->items[i]);
}

static const char *sink(struct cut *c, const struct wish *w)
{
	struct stmt *before = stmt_new(c->k->a, STMT_BLOCK);
	struct stmt *after = stmt_new(c->k->a, STMT_BLOCK);
	plain_body(c->k->a, c->main->items[0], c->loop->loop->var);
	cut_shift(c);
	const char *trouble = split_results(c, w->role, before, after);
	if (!trouble)
		trouble = push_strips(c, w->role);
	if (trouble)
		return trouble;
	if (w->rest == REST_OVERLAP)
		cut_overlap(c);
	if (w->rest == REST_BEYOND)
		cut_beyond(c);
	cut_commit(c, before, after);
	mark_lanes(c, c->v->body);
	return NULL;
}

static const char *sink_loop(struct kernel *k, struct variant *v, const struct stmt *loop,
			     const struct wish *wish)
{
	struct cut cut;
	struct wish own = *wish;
	const struct wish *w = &own;
	/* For some sizes only, as a rule. */
	if (own.rest == REST_BEYOND && beyond_trouble(v, loop, own.u, k->a))
		own.rest = REST_LOOP;
	if (loop->loop->role != LOOP_PLAIN)
		return "it is a strip already";
	const char *trouble = reorder_trouble(&v->view, loop, k->a);
	if (!trouble && w->rest == REST_OVERLAP)
		trouble = again_trouble(&v->view, loop, k->a);
	if (!trouble)
		trouble = cut_open(&cut, k, v, loop, w->u);
	return trouble ? trouble : sink(&cut, w);
}

/* The copies of a loop in what earlier rows left for the rests of loops around it. */
struct copies {
	const char *label;
	const struct stmt *items[COPIES_MAX];
	size_t nr;
};

static bool see_copy(void *ctx, const struct stmt *s)
{
	struct copies *c = ctx;
	size_t len = strlen(c->label);
	if (s->kind != STMT_LOOP || strncmp(s->loop->label, c->label, len) != 0)
		return true;
	const char *suffix = s->loop->label + len;
	if (*suffix && !suffix[strspn(suffix, "r")] && c->nr < COPIES_MAX)
		c->items[c->nr++] = s;
	return true;
}

/* A strip that overlaps is to be like the others, whichever loop of the nest was sunk first. */
static const char *apply_to(struct kernel *k, struct variant *v, struct stmt *loop,
			    const struct row *row)
{
	struct copies copies = { .label = loop->loop->label };
	struct err ignored = { 0 };
	struct wish wish;
	if (parse_wish(row, &wish, &ignored) < 0)
		return "its keys are not understood";
	if (wish.rest == REST_OVERLAP)
		walk_stmt(&(struct walk){ &copies, NULL, see_copy }, v->body);
	const char *trouble = sink_loop(k, v, loop, &wish);
	for (size_t i = 0; !trouble && i < copies.nr; i++)
		(void)sink_loop(k, v, copies.items[i], &wish);
	return trouble;
}

int row_sink(struct kernel *k, const struct row *row, struct err *e)
{
	struct wish wish;
	return parse_wish(row, &wish, e) < 0 ? -1 : row_apply_each(k, row, apply_to, e);
}
