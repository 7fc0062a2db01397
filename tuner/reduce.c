#include "tuner/reduce.h"

/* Every statement is matched against the known forms; each match accounts for the uses of the name
 * it contains. The name is reduced when all uses are accounted for and all operations agree. */

#include <stdbool.h>
#include <string.h>

#include "tuner/ir.h"
#include "tuner/walk.h"

static const char op_sum[] = "+";
static const char op_product[] = "*";
static const char op_max[] = "max";
static const char op_min[] = "min";

struct count {
	const char *name;
	unsigned nr;
};

struct reduction {
	const char *name;
	const char *op; /* of the matches so far */
	bool is_mixed;
	unsigned nr_explained;
};

static bool count_use(void *ctx, const struct expr *e)
{
	struct count *c = ctx;
	c->nr += expr_is_name(e, c->name);
	return true;
}

static unsigned count_uses(const struct stmt *s, const char *name)
{
	struct count c = { .name = name };
	walk_stmt(&(struct walk){ .ctx = &c, .see_expr = count_use }, s);
	return c.nr;
}

static const char *arithmetic_op(const char *text)
{
	if (text[0] == '+' || text[0] == '-')
		return op_sum;
	return text[0] == '*' ? op_product : NULL;
}

/* name = name + e, or e + name; a difference only the first way round. */
static const char *match_sum(const struct expr *value, const char *name)
{
	if (value->kind != EXPR_BINARY || value->text[1])
		return NULL;
	const char *op = arithmetic_op(value->text);
	bool is_left = expr_is_name(value->items[0], name);
	bool is_right = expr_is_name(value->items[1], name) && value->text[0] != '-';
	const struct expr *other = value->items[is_left ? 1 : 0];
	return op && (is_left || is_right) && !expr_uses(other, name) ? op : NULL;
}

/* name = a > b ? a : b and its kin, where one of the two is the name. */
static const char *match_choice(const struct expr *value, const char *name)
{
	const struct expr *cond = value->items[0];
	if (cond->kind != EXPR_BINARY || !strchr("<>", cond->text[0]) ||
	    (cond->text[1] && cond->text[1] != '='))
		return NULL;
	const struct expr *left = cond->items[0];
	const struct expr *right = cond->items[1];
	bool is_same = expr_equal(left, value->items[1]) && expr_equal(right, value->items[2]);
	bool is_crossed = expr_equal(left, value->items[2]) && expr_equal(right, value->items[1]);
	bool has_name = expr_is_name(left, name) != expr_is_name(right, name);
	const struct expr *other = expr_is_name(left, name) ? right : left;
	if ((!is_same && !is_crossed) || !has_name || expr_uses(other, name))
		return NULL;
	return (cond->text[0] == '>') == is_same ? op_max : op_min;
}

static const char *match_call(const struct expr *value, const char *name)
{
	static const char *const largest[] = { "fmax", "fmaxf", "fmaxl" };
	static const char *const least[] = { "fmin", "fminf", "fminl" };
	bool is_pair = value->nr == 3 &&
		       expr_is_name(value->items[1], name) != expr_is_name(value->items[2], name);
	for (size_t i = 0; is_pair && i < 3; i++) {
		if (expr_is_name(value->items[0], largest[i]))
			return op_max;
		if (expr_is_name(value->items[0], least[i]))
			return op_min;
	}
	return NULL;
}

static const char *match_value(const struct expr *value, const char *name)
{
	switch (value->kind) {
	case EXPR_BINARY:
		return match_sum(value, name);
	case EXPR_CHOICE:
		return match_choice(value, name);
	case EXPR_CALL:
		return match_call(value, name);
	case EXPR_NUMBER:
	case EXPR_NAME:
	case EXPR_TEXT:
	case EXPR_UNARY:
	case EXPR_POSTFIX:
	case EXPR_ASSIGN:
	case EXPR_INDEX:
	case EXPR_MEMBER:
	case EXPR_CAST:
	case EXPR_LIST:
		return NULL;
	}
	return NULL;
}

static const char *match_assign(const struct expr *e, const char *name)
{
	if (!e || e->kind != EXPR_ASSIGN || !expr_is_name(e->items[0], name))
		return NULL;
	if (strcmp(e->text, "=") == 0)
		return match_value(e->items[1], name);
	bool is_compound = e->text[1] == '=' && !expr_uses(e->items[1], name);
	return is_compound ? arithmetic_op(e->text) : NULL;
}

static const struct stmt *only_statement(const struct stmt *s)
{
	return s->kind == STMT_BLOCK && s->nr == 1 ? s->items[0] : s;
}

/* if (e > name) name = e; */
static const char *match_if(const struct stmt *s, const char *name)
{
	const struct stmt *then = only_statement(s->items[0]);
	const struct expr *set = then->expr;
	if (s->nr != 1 || then->kind != STMT_EXPR || !set || set->kind != EXPR_ASSIGN ||
	    strcmp(set->text, "=") != 0 || !expr_is_name(set->items[0], name))
		return NULL;
	struct expr *items[] = { s->expr, set->items[1], set->items[0] };
	const struct expr as_choice = { .kind = EXPR_CHOICE, .text = "?", .items = items, .nr = 3 };
	return match_choice(&as_choice, name);
}

static bool see_stmt(void *ctx, const struct stmt *s)
{
	struct reduction *r = ctx;
	const char *op = s->kind == STMT_IF     ? match_if(s, r->name)
			 : s->kind == STMT_EXPR ? match_assign(s->expr, r->name)
						: NULL;
	if (!op)
		return true;
	r->is_mixed = r->is_mixed || (r->op && r->op != op);
	r->op = op;
	r->nr_explained += count_uses(s, r->name);
	return false;
}

const char *reduce_operation(const struct stmt *loop, const char *name)
{
	struct reduction r = { .name = name };
	walk_stmt(&(struct walk){ .ctx = &r, .see_stmt = see_stmt }, loop);
	bool is_all = r.nr_explained == count_uses(loop, name) && !stmt_has_opaque(loop);
	return is_all && !r.is_mixed ? r.op : NULL;
}
