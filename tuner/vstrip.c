#include "tuner/vstrip.h"

/* Every expression of the strip is either the same in all lanes, then it stays as it is and the
 * compiler spreads it, or it is a vector: a unit-stride place, a local of the strip, or arithmetic
 * on vectors. All of them have one element type. */

#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "tuner/access.h"
#include "tuner/env.h"
#include "tuner/etype.h"
#include "tuner/ir.h"
#include "tuner/kernel.h"
#include "tuner/rewrite.h"
#include "tuner/vtype.h"
#include "tuner/walk.h"

static const char own_prefix[] = "forge_";

enum { TEMPS_MAX = 32, STATEMENTS_MAX = 64, EXACT_MAX = 1 << 24 };

struct strip {
	struct kernel *k;
	struct variant *v;
	struct env *env;
	const struct stmt *stmt;
	const char *var;
	struct vtype type;
	enum etype element;
	struct stmt *lines[STATEMENTS_MAX]; /* assignments and declarations, in order */
	size_t nr_lines;
	const char *temps[TEMPS_MAX];
	size_t nr_temps;
	int64_t lane; /* first one of the vector that is being written */
	const char *trouble;
};

/* An expression in all lanes of one vector. */
struct value {
	struct expr *e; /* NULL: it can not be had */
	bool is_vector;
};

static struct value convert(struct strip *s, const struct expr *e);

static struct value refuse(struct strip *s, const char *why)
{
	s->trouble = s->trouble ? s->trouble : why;
	return (struct value){ 0 };
}

static bool is_temp(const struct strip *s, const char *name)
{
	for (size_t i = 0; i < s->nr_temps; i++)
		if (strcmp(s->temps[i], name) == 0)
			return true;
	return false;
}

static bool varies(const struct strip *s, const struct expr *e)
{
	if (expr_uses(e, s->var))
		return true;
	for (size_t i = 0; i < s->nr_temps; i++)
		if (expr_uses(e, s->temps[i]))
			return true;
	return false;
}

/* x + lane with the lane anywhere in the sum: what polynomials do not know may be in x. */
static bool adds_lane(const struct strip *s, const struct expr *e)
{
	if (e->kind != EXPR_BINARY || e->nr != 2)
		return expr_is_name(e, s->var);
	bool is_left = varies(s, e->items[0]);
	if (is_left && varies(s, e->items[1]))
		return false;
	if (strcmp(e->text, "+") == 0)
		return adds_lane(s, e->items[is_left ? 0 : 1]);
	return strcmp(e->text, "-") == 0 && is_left && adds_lane(s, e->items[0]);
}

static bool moves_by_one(struct strip *s, const struct expr *subscript)
{
	struct poly slope;
	struct poly rest;
	int64_t by;
	if (adds_lane(s, subscript))
		return true;
	for (size_t i = 0; i < s->nr_temps; i++)
		if (expr_uses(subscript, s->temps[i]))
			return false;
	struct poly p = env_poly(s->env, subscript);
	return poly_split(&p, s->stmt->loop->label, &slope, &rest) && poly_is_number(&slope, &by) &&
	       by == 1;
}

static struct value convert_place(struct strip *s, const struct expr *e, bool is_written)
{
	if (e->kind != EXPR_INDEX || etype_of(s->env, e) != s->element)
		return refuse(s, "it works on elements of several types");
	for (const struct expr *at = e->items[0]; at->kind == EXPR_INDEX; at = at->items[0])
		if (varies(s, at->items[1]))
			return refuse(s, "an access does not go along the lanes");
	if (!moves_by_one(s, e->items[1]))
		return refuse(s, "an access does not go along the lanes");
	struct expr *element = expr_fix(s->k->a, expr_clone(s->k->a, e), s->var, s->lane);
	return (struct value){ vtype_place(&s->type, s->k->a, element, is_written), true };
}

static struct expr *real_literal(const struct strip *s, int64_t value)
{
	const char *text = arena_printf(s->k->a, "%lld.0%s", (long long)value,
					s->element == ETYPE_FLOAT ? "f" : "");
	return expr_new(s->k->a, EXPR_NUMBER, text, 0);
}

static struct value convert_same(struct strip *s, const struct expr *e)
{
	enum etype type = etype_of(s->env, e);
	struct expr *copy = expr_clone(s->k->a, e);
	if (type != s->element && type != ETYPE_INT)
		return refuse(s, "it computes in several types");
	if (type == s->element)
		return (struct value){ copy, false };
	if (copy->kind == EXPR_NUMBER && copy->value < EXACT_MAX)
		return (struct value){ real_literal(s, copy->value), false };
	struct expr *cast = expr_new(s->k->a, EXPR_CAST, s->type.element, 1);
	cast->items[0] = copy;
	return (struct value){ cast, false };
}

static struct expr *as_vector(struct strip *s, struct value value)
{
	if (!value.e || value.is_vector)
		return value.e;
	return vtype_call(&s->type, s->k, "all", &value.e, 1);
}

/* A helper whose arguments are all vectors. */
static struct value call(struct strip *s, const char *helper, const struct expr *const *args,
			 size_t nr)
{
	struct expr *vectors[4];
	for (size_t i = 0; i < nr; i++) {
		vectors[i] = as_vector(s, convert(s, args[i]));
		if (!vectors[i])
			return (struct value){ 0 };
	}
	return (struct value){ vtype_call(&s->type, s->k, helper, vectors, nr), true };
}

static struct value operation(struct strip *s, const char *op, struct value left,
			      struct value right)
{
	if (!left.e || !right.e)
		return (struct value){ 0 };
	return (struct value){ expr_binary(s->k->a, op, left.e, right.e),
			       left.is_vector || right.is_vector };
}

static struct value convert_binary(struct strip *s, const struct expr *e)
{
	if (e->text[1] || !strchr("+-*/", e->text[0]))
		return refuse(s, "it holds an operator that vectors do not have");
	return operation(s, e->text, convert(s, e->items[0]), convert(s, e->items[1]));
}

static struct value convert_unary(struct strip *s, const struct expr *e)
{
	struct expr *minus = expr_new(s->k->a, EXPR_UNARY, "-", 1);
	if (strcmp(e->text, "-") != 0)
		return refuse(s, "it holds an operator that vectors do not have");
	minus->items[0] = convert(s, e->items[0]).e;
	return (struct value){ minus->items[0] ? minus : NULL, true };
}

/* a > b ? a : b and its like. */
static struct value convert_choice(struct strip *s, const struct expr *e)
{
	static const char *const names[][2] = { { ">", "if_greater" },   { "<", "if_less" },
						{ ">=", "if_at_least" }, { "<=", "if_at_most" },
						{ "==", "if_equal" },    { "!=", "if_unequal" } };
	const struct expr *test = e->items[0];
	if (test->kind != EXPR_BINARY)
		return refuse(s, "it chooses by something that is no comparison");
	const struct expr *args[] = { e->items[1], e->items[2], test->items[0], test->items[1] };
	bool is_straight = expr_equal(args[0], args[2]) && expr_equal(args[1], args[3]);
	bool is_crossed = expr_equal(args[0], args[3]) && expr_equal(args[1], args[2]);
	bool is_greater = strcmp(test->text, ">") == 0;
	if ((is_straight || is_crossed) && (is_greater || strcmp(test->text, "<") == 0))
		return call(s, is_greater == is_straight ? "max" : "min", args, 2);
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strcmp(names[i][0], test->text) == 0)
			return call(s, names[i][1], args, 4);
	return refuse(s, "it chooses by something that is no comparison");
}

/* The name without the suffix of its type, NULL when it is a function of another one. */
static const char *function_name(const struct strip *s, const struct expr *e)
{
	const char *name = e->items[0]->kind == EXPR_NAME ? e->items[0]->text : "";
	size_t len = strlen(name);
	if (s->element == ETYPE_DOUBLE)
		return name;
	return len > 1 && name[len - 1] == 'f' ? arena_strndup(s->k->a, name, len - 1) : NULL;
}

/* A function of one float that another row wrote in front of the bodies. */
static bool is_written_here(const struct strip *s, const struct expr *e)
{
	const struct expr *callee = e->items[0];
	AUTO_FREE char *head =
		callee->kind == EXPR_NAME ? xasprintf("float %s(float x)", callee->text) : NULL;
	if (!head || s->element != ETYPE_FLOAT || e->nr != 2 ||
	    !str_starts(callee->text, own_prefix))
		return false;
	for (size_t i = 0; i < s->k->texts.nr; i++)
		if (strstr(s->k->texts.items[i], head))
			return true;
	return strstr(s->k->unit.before, head) != NULL;
}

static struct value convert_call(struct strip *s, const struct expr *e)
{
	const char *name = function_name(s, e);
	if (name && strcmp(name, "fma") == 0 && e->nr == 4)
		return operation(
			s, "+", operation(s, "*", convert(s, e->items[1]), convert(s, e->items[2])),
			convert(s, e->items[3]));
	if (is_written_here(s, e))
		return call(s, e->items[0]->text + strlen(own_prefix),
			    (const struct expr *const *)(e->items + 1), 1);
	if (!name || e->nr < 2 || vtype_function_args(name) != e->nr - 1)
		return refuse(s, "it calls a function");
	return call(s, name, (const struct expr *const *)(e->items + 1), e->nr - 1);
}

static struct value convert_cast(struct strip *s, const struct expr *e)
{
	if (etype_named(e->text) != s->element)
		return refuse(s, "it computes in several types");
	return convert(s, e->items[0]);
}

static struct value convert(struct strip *s, const struct expr *e)
{
	if (!varies(s, e))
		return convert_same(s, e);
	switch (e->kind) {
	case EXPR_NAME:
		if (!is_temp(s, e->text))
			return refuse(s, "it computes with the number of the lane");
		return (struct value){ expr_clone(s->k->a, e), true };
	case EXPR_INDEX:
		return convert_place(s, e, false);
	case EXPR_UNARY:
		return convert_unary(s, e);
	case EXPR_BINARY:
		return convert_binary(s, e);
	case EXPR_CHOICE:
		return convert_choice(s, e);
	case EXPR_CALL:
		return convert_call(s, e);
	case EXPR_CAST:
		return convert_cast(s, e);
	case EXPR_NUMBER:
	case EXPR_TEXT:
	case EXPR_POSTFIX:
	case EXPR_ASSIGN:
	case EXPR_MEMBER:
	case EXPR_LIST:
		break;
	}
	return refuse(s, "it holds an expression that vectors do not have");
}

static struct stmt *convert_assign(struct strip *s, const struct expr *e)
{
	const struct expr *target = e->items[0];
	struct value to = is_temp(s, target->kind == EXPR_NAME ? target->text : "")
				  ? convert(s, target)
				  : convert_place(s, target, true);
	struct value from = convert(s, e->items[1]);
	if (!to.e || !from.e || strchr("%&|^<>", e->text[0]))
		return NULL;
	bool is_plain = strcmp(e->text, "=") == 0;
	return stmt_expr(s->k->a, expr_assign(s->k->a, e->text, to.e,
					      is_plain ? as_vector(s, from) : from.e));
}

static struct stmt *convert_line(struct strip *s, const struct stmt *line)
{
	if (line->kind == STMT_EXPR)
		return convert_assign(s, line->expr);
	const struct decl *d = line->decl;
	if (etype_named(d->type) != s->element) {
		refuse(s, "it computes in several types");
		return NULL;
	}
	struct expr *init = d->init ? as_vector(s, convert(s, d->init)) : NULL;
	if (d->init && !init)
		return NULL;
	if (s->nr_temps < TEMPS_MAX && !is_temp(s, d->name))
		s->temps[s->nr_temps++] = d->name;
	return stmt_decl(s->k->a, s->type.name, d->name, init);
}

/* All lines for the lanes of one vector, in a block of their own when they declare names. */
static bool convert_vector(struct strip *s, struct stmt *out)
{
	struct stmt *block = stmt_new(s->k->a, STMT_BLOCK);
	s->nr_temps = 0;
	for (size_t i = 0; i < s->nr_lines; i++) {
		struct stmt *line = convert_line(s, s->lines[i]);
		if (!line)
			return false;
		stmt_add(s->k->a, block, line);
	}
	if (s->nr_temps) {
		stmt_add(s->k->a, out, block);
		return true;
	}
	for (size_t i = 0; i < block->nr; i++)
		stmt_add(s->k->a, out, block->items[i]);
	return true;
}

static const char *collect_decl(struct strip *s, struct stmt *line)
{
	const struct decl *d = line->decl;
	if (*d->stars || d->nr_dims)
		return "it declares something that is no number";
	s->lines[s->nr_lines++] = line;
	return NULL;
}

/* The lines of the body, blocks in it dissolved. */
static const char *collect(struct strip *s, struct stmt *body)
{
	if (s->nr_lines == STATEMENTS_MAX)
		return "it has too many statements";
	if (body->kind == STMT_DECL)
		return collect_decl(s, body);
	if (body->kind == STMT_EXPR && body->expr && body->expr->kind == EXPR_ASSIGN) {
		s->lines[s->nr_lines++] = body;
		return NULL;
	}
	if (body->kind != STMT_BLOCK)
		return "it holds a statement that is no assignment";
	for (size_t i = 0; i < body->nr; i++) {
		const char *trouble = collect(s, body->items[i]);
		if (trouble)
			return trouble;
	}
	return NULL;
}

/* An integer of the strip goes into the expressions that use it. */
static const char *dissolve_integers(struct strip *s)
{
	size_t nr = 0;
	for (size_t i = 0; i < s->nr_lines; i++) {
		struct stmt *line = s->lines[i];
		const struct decl *d = line->decl;
		if (!d || etype_named(d->type) != ETYPE_INT) {
			s->lines[nr++] = line;
			continue;
		}
		for (size_t j = i + 1; j < s->nr_lines; j++) {
			if (!d->init || stmt_changes(s->lines[j], d->name))
				return "it changes a number of its own";
			stmt_substitute(s->k->a, s->lines[j], expr_name(s->k->a, d->name), d->init);
		}
	}
	s->nr_lines = nr;
	return NULL;
}

/* Of the first thing that is written: a local of the strip or an element of an array. */
static enum etype find_element(const struct strip *s)
{
	for (size_t i = 0; i < s->nr_lines; i++) {
		const struct stmt *line = s->lines[i];
		if (line->decl)
			return etype_named(line->decl->type);
		if (line->expr->items[0]->kind == EXPR_INDEX)
			return etype_of(s->env, line->expr->items[0]);
	}
	return ETYPE_OTHER;
}

static bool same_place(const struct access *x, const struct access *y)
{
	for (size_t d = 0; d < x->nr_subs; d++)
		if (!poly_equal(&x->subs[d], &y->subs[d]))
			return false;
	return true;
}

/* Two accesses to one array in different lanes of the strip never meet. */
static bool stays_apart(const struct access *x, const struct access *y, int64_t trips)
{
	int64_t distance;
	if (expr_equal(x->at, y->at) || x->nr_subs != y->nr_subs || !x->nr_subs)
		return x->nr_subs == y->nr_subs;
	if (same_place(x, y))
		return true;
	const struct poly *last = &x->subs[x->nr_subs - 1];
	struct poly difference = poly_subtract(last, &y->subs[y->nr_subs - 1]);
	return poly_is_number(&difference, &distance) &&
	       (distance == 0 || distance >= trips || distance <= -trips);
}

static const char *check_lanes(const struct strip *s, int64_t trips)
{
	struct accesses list;
	accesses_collect(&list, &s->v->view, s->stmt, s->k->a);
	if (list.trouble || list.has_exit)
		return list.trouble ? list.trouble : "it may be left early";
	if (list.nr_scalars)
		return "a variable goes from one lane to the next";
	for (size_t i = 0; i < list.nr; i++)
		for (size_t j = 0; list.items[i]->is_write && j < list.nr; j++)
			if (strcmp(list.items[i]->array, list.items[j]->array) == 0 &&
			    !stays_apart(list.items[i], list.items[j], trips))
				return "a lane may need what another one writes";
	return NULL;
}

static const char *open_strip(struct strip *s, int64_t trips, unsigned bits)
{
	const char *trouble = collect(s, stmt_clone(s->k->a, s->stmt->items[0]));
	if (!trouble)
		trouble = dissolve_integers(s);
	if (!trouble)
		trouble = check_lanes(s, trips);
	if (trouble)
		return trouble;
	if (!env_open(s->env, &s->v->view, s->stmt, s->k->a))
		return "its names are not understood";
	s->element = find_element(s);
	if (s->element != ETYPE_FLOAT && s->element != ETYPE_DOUBLE)
		return "its elements are neither float nor double";
	if (!vtype_fit(&s->type, s->element, bits, trips))
		return "its length is no multiple of a vector's";
	return NULL;
}

static const char *write_vectors(struct strip *s, int64_t trips, struct stmt **out)
{
	size_t nr_texts = s->k->texts.nr;
	struct stmt *block = stmt_new(s->k->a, STMT_BLOCK);
	vtype_declare(&s->type, s->k);
	for (s->lane = 0; s->lane < trips; s->lane += s->type.lanes) {
		if (convert_vector(s, block))
			continue;
		kernel_forget_texts(s->k, nr_texts);
		return s->trouble ? s->trouble : "it holds what vectors do not have";
	}
	*out = block;
	return NULL;
}

const char *vstrip_convert(struct kernel *k, struct variant *v, const struct stmt *strip,
			   unsigned bits, struct stmt **out)
{
	AUTO_FREE struct env *env = xmalloc(sizeof(*env));
	struct strip s = { .k = k, .v = v, .env = env, .stmt = strip, .var = strip->loop->var };
	int64_t trips = loop_trips(v, strip, k->a);
	const struct expr *lo = strip->loop->lo;
	if (trips < 1 || strip->loop->step != 1 || !lo->is_integer || lo->value != 0)
		return "its length is not known";
	const char *trouble = open_strip(&s, trips, bits);
	if (trouble)
		return trouble;
	return write_vectors(&s, trips, out);
}
