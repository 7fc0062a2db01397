#include "tuner/ir.h"

#include <string.h>

#include "base/mem.h"
#include "base/str.h"

/* Arithmetic is folded only where the result can not depend on types: small non-negative integers.
 * Anything else is left to the compiler. */

enum { STRENGTH_ASSIGN = 2, STRENGTH_CHOICE = 3, STRENGTH_UNARY = 14, STRENGTH_POSTFIX = 15 };
enum { STRENGTH_NAME = 16, FOLD_MAX = 1 << 30 };

static const struct {
	const char *op;
	int strength;
} operators[] = {
	{ ",", 1 },   { "||", 4 },  { "&&", 5 }, { "|", 6 },  { "^", 7 },   { "&", 8 },
	{ "==", 9 },  { "!=", 9 },  { "<", 10 }, { ">", 10 }, { "<=", 10 }, { ">=", 10 },
	{ "<<", 11 }, { ">>", 11 }, { "+", 12 }, { "-", 12 }, { "*", 13 },  { "/", 13 },
	{ "%", 13 },  { "=", 2 },   { "+=", 2 }, { "-=", 2 }, { "*=", 2 },  { "/=", 2 },
	{ "%=", 2 },  { "&=", 2 },  { "|=", 2 }, { "^=", 2 }, { "<<=", 2 }, { ">>=", 2 }
};

int operator_strength(const char *op)
{
	for (size_t i = 0; i < ARRAY_LEN(operators); i++)
		if (strcmp(operators[i].op, op) == 0)
			return operators[i].strength;
	return 0;
}

int expr_strength(const struct expr *e)
{
	switch (e->kind) {
	case EXPR_NUMBER:
		return e->is_integer && e->value < 0 ? STRENGTH_UNARY : STRENGTH_NAME;
	case EXPR_NAME:
	case EXPR_TEXT:
	case EXPR_LIST:
		return STRENGTH_NAME;
	case EXPR_UNARY:
	case EXPR_CAST:
		return STRENGTH_UNARY;
	case EXPR_POSTFIX:
	case EXPR_CALL:
	case EXPR_INDEX:
	case EXPR_MEMBER:
		return STRENGTH_POSTFIX;
	case EXPR_BINARY:
		return operator_strength(e->text);
	case EXPR_ASSIGN:
		return STRENGTH_ASSIGN;
	case EXPR_CHOICE:
		return STRENGTH_CHOICE;
	}
	return STRENGTH_NAME;
}

struct expr *expr_new(struct arena *a, enum expr_kind kind, const char *text, size_t nr)
{
	struct expr *e = arena_alloc(a, sizeof(*e));
	e->kind = kind;
	e->text = text;
	e->nr = nr;
	e->items = nr ? arena_array(a, nr, sizeof(*e->items)) : NULL;
	return e;
}

struct expr *expr_number(struct arena *a, int64_t value)
{
	struct expr *e = expr_new(a, EXPR_NUMBER, arena_printf(a, "%lld", (long long)value), 0);
	e->is_integer = true;
	e->value = value;
	return e;
}

struct expr *expr_name(struct arena *a, const char *name)
{
	return expr_new(a, EXPR_NAME, name, 0);
}

static bool is_small(const struct expr *e)
{
	return e->kind == EXPR_NUMBER && e->is_integer && e->value >= 0 && e->value < FOLD_MAX;
}

static bool is_value(const struct expr *e, int64_t value)
{
	return e->kind == EXPR_NUMBER && e->is_integer && e->value == value;
}

static bool fold(char op, int64_t left, int64_t right, int64_t *out)
{
	switch (op) {
	case '+':
		return !__builtin_add_overflow(left, right, out) && *out < FOLD_MAX;
	case '-':
		return !__builtin_sub_overflow(left, right, out) && *out >= 0;
	case '*':
		return !__builtin_mul_overflow(left, right, out) && *out < FOLD_MAX;
	default:
		return false;
	}
}

static struct expr *make_pair(struct arena *a, enum expr_kind kind, const char *op,
			      struct expr *left, struct expr *right)
{
	struct expr *e = expr_new(a, kind, op, 2);
	e->items[0] = left;
	e->items[1] = right;
	return e;
}

struct expr *expr_binary(struct arena *a, const char *op, struct expr *left, struct expr *right)
{
	int64_t value;
	if (is_small(left) && is_small(right) && !op[1] &&
	    fold(op[0], left->value, right->value, &value))
		return expr_number(a, value);
	if ((strcmp(op, "+") == 0 || strcmp(op, "-") == 0) && is_value(right, 0))
		return left;
	if (strcmp(op, "+") == 0 && is_value(left, 0))
		return right;
	if ((strcmp(op, "*") == 0 || strcmp(op, "/") == 0) && is_value(right, 1))
		return left;
	if (strcmp(op, "*") == 0 && is_value(left, 1))
		return right;
	return make_pair(a, EXPR_BINARY, op, left, right);
}

struct expr *expr_index(struct arena *a, struct expr *base, struct expr *subscript)
{
	return make_pair(a, EXPR_INDEX, "[", base, subscript);
}

struct expr *expr_assign(struct arena *a, const char *op, struct expr *left, struct expr *right)
{
	return make_pair(a, EXPR_ASSIGN, op, left, right);
}

struct expr *expr_clone(struct arena *a, const struct expr *e)
{
	if (!e)
		return NULL;
	struct expr *copy = expr_new(a, e->kind, e->text, e->nr);
	copy->is_integer = e->is_integer;
	copy->member = e->member;
	copy->value = e->value;
	for (size_t i = 0; i < e->nr; i++)
		copy->items[i] = expr_clone(a, e->items[i]);
	return copy;
}

static bool same_text(const char *a, const char *b)
{
	return a == b || str_equal(a, b);
}

bool expr_equal(const struct expr *a, const struct expr *b)
{
	if (!a || !b)
		return a == b;
	if (a->kind != b->kind || a->nr != b->nr || !same_text(a->text, b->text) ||
	    !same_text(a->member, b->member))
		return false;
	for (size_t i = 0; i < a->nr; i++)
		if (!expr_equal(a->items[i], b->items[i]))
			return false;
	return true;
}

bool expr_is_name(const struct expr *e, const char *name)
{
	return e && e->kind == EXPR_NAME && strcmp(e->text, name) == 0;
}

struct stmt *stmt_new(struct arena *a, enum stmt_kind kind)
{
	struct stmt *s = arena_alloc(a, sizeof(*s));
	s->kind = kind;
	return s;
}

struct stmt *stmt_expr(struct arena *a, struct expr *e)
{
	struct stmt *s = stmt_new(a, STMT_EXPR);
	s->expr = e;
	return s;
}

struct stmt *stmt_decl(struct arena *a, const char *type, const char *name, struct expr *init)
{
	struct stmt *s = stmt_new(a, STMT_DECL);
	s->decl = arena_alloc(a, sizeof(*s->decl));
	*s->decl = (struct decl){ .type = type, .stars = "", .name = name, .init = init };
	return s;
}

void stmt_add(struct arena *a, struct stmt *parent, struct stmt *child)
{
	if (parent->nr == parent->cap) {
		size_t cap = parent->cap ? 2 * parent->cap : 4;
		struct stmt **items = arena_array(a, cap, sizeof(struct stmt *));
		if (parent->nr)
			memcpy(items, parent->items, parent->nr * sizeof(struct stmt *));
		parent->items = items;
		parent->cap = cap;
	}
	parent->items[parent->nr++] = child;
}

void stmt_splice(struct arena *a, struct stmt *parent, size_t at, const struct stmt *block)
{
	struct stmt old = *parent;
	parent->items = NULL;
	parent->nr = parent->cap = 0;
	for (size_t i = 0; i < old.nr; i++) {
		if (i != at) {
			stmt_add(a, parent, old.items[i]);
			continue;
		}
		for (size_t j = 0; j < block->nr; j++)
			stmt_add(a, parent, block->items[j]);
	}
}

static struct decl *decl_clone(struct arena *a, const struct decl *d)
{
	struct decl *copy = arena_alloc(a, sizeof(*copy));
	*copy = *d;
	copy->init = expr_clone(a, d->init);
	copy->dims = d->nr_dims ? arena_array(a, d->nr_dims, sizeof(*d->dims)) : NULL;
	for (size_t i = 0; i < d->nr_dims; i++)
		copy->dims[i] = expr_clone(a, d->dims[i]);
	return copy;
}

static struct loop *loop_clone(struct arena *a, const struct loop *l)
{
	struct loop *copy = arena_alloc(a, sizeof(*copy));
	*copy = *l;
	copy->lo = expr_clone(a, l->lo);
	copy->hi = expr_clone(a, l->hi);
	return copy;
}

struct stmt *stmt_clone(struct arena *a, const struct stmt *s)
{
	if (!s)
		return NULL;
	struct stmt *copy = stmt_new(a, s->kind);
	copy->text = s->text;
	copy->expr = expr_clone(a, s->expr);
	copy->step = expr_clone(a, s->step);
	copy->init = stmt_clone(a, s->init);
	copy->decl = s->decl ? decl_clone(a, s->decl) : NULL;
	copy->loop = s->loop ? loop_clone(a, s->loop) : NULL;
	for (size_t i = 0; i < s->nr; i++)
		stmt_add(a, copy, stmt_clone(a, s->items[i]));
	return copy;
}

struct stmt *stmt_body(struct arena *a, struct stmt *loop)
{
	if (loop->items[0]->kind == STMT_BLOCK)
		return loop->items[0];
	struct stmt *block = stmt_new(a, STMT_BLOCK);
	stmt_add(a, block, loop->items[0]);
	loop->items[0] = block;
	return block;
}
