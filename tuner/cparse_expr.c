#include "tuner/cparse_in.h"

/* Precedence climbing. Parentheses are not kept: the printer puts back the ones that matter. */

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "tuner/clex.h"
#include "tuner/cmacro.h"
#include "tuner/ir.h"

enum { STRENGTH_BINARY_MIN = 4, POSTFIX_MAX = 32 };

static const char *const reserved[] = { "if",
					"else",
					"for",
					"while",
					"do",
					"switch",
					"case",
					"default",
					"goto",
					"return",
					"break",
					"continue",
					"typedef",
					"asm",
					"__asm__",
					"extern",
					"register",
					"_Generic",
					"__typeof__",
					"typeof",
					"_Static_assert",
					"__extension__",
					"__attribute__",
					"_Alignas",
					"_Thread_local",
					"inline" };

static struct expr *parse_unary(struct parser *p);

static bool is_reserved(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(reserved); i++)
		if (strcmp(reserved[i], name) == 0)
			return true;
	return false;
}

bool parser_at_name(const struct parser *p)
{
	const struct lexeme *l = parser_peek(p);
	return l->kind == LEXEME_NAME && !is_reserved(l->text) &&
	       !macros_find(p->macros, l->text) && !parser_at_type(p);
}

static struct expr *wrap(struct parser *p, enum expr_kind kind, const char *text, struct expr *in)
{
	if (!in)
		return NULL;
	struct expr *e = expr_new(p->a, kind, text, 1);
	e->items[0] = in;
	return e;
}

static struct expr *parse_number(struct parser *p)
{
	const char *text = parser_peek(p)->text;
	struct expr *e = expr_new(p->a, EXPR_NUMBER, text, 0);
	char *end;
	unsigned long long value = strtoull(text, &end, 0);
	bool is_suffix = strspn(end, "uUlL") == strlen(end);
	e->is_integer = is_suffix && value <= INT64_MAX;
	e->value = e->is_integer ? (int64_t)value : 0;
	p->at++;
	return e;
}

/* Adjacent strings are one literal. */
static struct expr *parse_text(struct parser *p)
{
	size_t from = p->at;
	enum lexeme_kind kind = parser_peek(p)->kind;
	p->at++;
	while (kind == LEXEME_STRING && parser_peek(p)->kind == LEXEME_STRING)
		p->at++;
	return expr_new(p->a, EXPR_TEXT, parser_text(p, from), 0);
}

static struct expr *parse_name(struct parser *p)
{
	const char *name = parser_peek(p)->text;
	if (!parser_at_name(p))
		return NULL;
	p->at++;
	return expr_name(p->a, name);
}

/* "(type)": the text without the parentheses, or NULL with the cursor where it was. */
static const char *parse_type_name(struct parser *p)
{
	size_t from = p->at;
	const char *text = NULL;
	if (parser_take(p, "(") && parser_at_type(p)) {
		const char *type = parse_type(p);
		const char *stars = parse_stars(p);
		if (type && parser_take(p, ")"))
			text = *stars ? arena_printf(p->a, "%s %s", type, stars) : type;
	}
	if (!text)
		p->at = from;
	return text;
}

static struct expr *parse_parens(struct parser *p)
{
	const char *type = parse_type_name(p);
	if (type)
		return wrap(p, EXPR_CAST, type, parser_is(p, "{") ? parse_init(p) : parse_unary(p));
	p->at++;
	struct expr *e = parse_expr(p);
	return e && parser_take(p, ")") ? e : NULL;
}

static struct expr *parse_primary(struct parser *p)
{
	const struct lexeme *l = parser_peek(p);
	if (parser_is(p, "("))
		return parse_parens(p);
	switch (l->kind) {
	case LEXEME_NUMBER:
		return parse_number(p);
	case LEXEME_STRING:
	case LEXEME_CHAR:
		return parse_text(p);
	case LEXEME_NAME:
		return parse_name(p);
	case LEXEME_PUNCT:
	case LEXEME_DIRECTIVE:
	case LEXEME_END:
		return NULL;
	}
	return NULL;
}

static struct expr *parse_call(struct parser *p, struct expr *callee)
{
	struct expr *items[PARSE_CHAIN];
	size_t nr = 0;
	items[nr++] = callee;
	p->at++;
	while (!parser_is(p, ")")) {
		if (nr == PARSE_CHAIN || (nr > 1 && !parser_take(p, ",")))
			return NULL;
		items[nr] = parse_assign(p);
		if (!items[nr++])
			return NULL;
	}
	p->at++;
	struct expr *e = expr_new(p->a, EXPR_CALL, "(", nr);
	memcpy(e->items, items, nr * sizeof(items[0]));
	return e;
}

static struct expr *parse_subscript(struct parser *p, struct expr *base)
{
	p->at++;
	struct expr *at = parse_expr(p);
	return at && parser_take(p, "]") ? expr_index(p->a, base, at) : NULL;
}

static struct expr *parse_member(struct parser *p, struct expr *base)
{
	const char *op = parser_peek(p)->text;
	p->at++;
	if (parser_peek(p)->kind != LEXEME_NAME)
		return NULL;
	struct expr *e = wrap(p, EXPR_MEMBER, op, base);
	e->member = parser_peek(p)->text;
	p->at++;
	return e;
}

static struct expr *parse_postfix(struct parser *p)
{
	struct expr *e = parse_primary(p);
	for (unsigned i = 0; e && i < POSTFIX_MAX; i++) {
		if (parser_is(p, "["))
			e = parse_subscript(p, e);
		else if (parser_is(p, "("))
			e = parse_call(p, e);
		else if (parser_is(p, ".") || parser_is(p, "->"))
			e = parse_member(p, e);
		else if (parser_is(p, "++") || parser_is(p, "--"))
			e = wrap(p, EXPR_POSTFIX, p->lexemes->items[p->at++].text, e);
		else
			return e;
	}
	return NULL;
}

static struct expr *parse_sizeof(struct parser *p)
{
	p->at++;
	const char *type = parse_type_name(p);
	if (type)
		return expr_new(p->a, EXPR_TEXT, arena_printf(p->a, "sizeof(%s)", type), 0);
	return wrap(p, EXPR_UNARY, "sizeof ", parse_unary(p));
}

static struct expr *parse_prefix(struct parser *p)
{
	static const char *const ops[] = { "++", "--", "+", "-", "!", "~", "*", "&" };
	if (parser_is(p, "sizeof"))
		return parse_sizeof(p);
	for (size_t i = 0; i < ARRAY_LEN(ops); i++)
		if (parser_take(p, ops[i]))
			return wrap(p, EXPR_UNARY, ops[i], parse_unary(p));
	return parse_postfix(p);
}

static struct expr *parse_unary(struct parser *p)
{
	if (p->depth >= PARSE_DEPTH)
		return NULL;
	p->depth++;
	struct expr *e = parse_prefix(p);
	p->depth--;
	return e;
}

static struct expr *pair(struct parser *p, enum expr_kind kind, const char *op, struct expr *left,
			 struct expr *right)
{
	if (!left || !right)
		return NULL;
	struct expr *e = expr_new(p->a, kind, op, 2);
	e->items[0] = left;
	e->items[1] = right;
	return e;
}

static struct expr *parse_binary(struct parser *p, int least)
{
	struct expr *left = parse_unary(p);
	for (unsigned i = 0; left && i < PARSE_CHAIN; i++) {
		const struct lexeme *op = parser_peek(p);
		int strength = op->kind == LEXEME_PUNCT ? operator_strength(op->text) : 0;
		if (strength < least)
			return left;
		p->at++;
		left = pair(p, EXPR_BINARY, op->text, left, parse_binary(p, strength + 1));
	}
	return NULL;
}

static struct expr *parse_choice(struct parser *p, struct expr *condition)
{
	struct expr *yes = parse_expr(p);
	if (!yes || !parser_take(p, ":"))
		return NULL;
	struct expr *no = parse_assign(p);
	if (!no)
		return NULL;
	struct expr *e = expr_new(p->a, EXPR_CHOICE, "?", 3);
	e->items[0] = condition;
	e->items[1] = yes;
	e->items[2] = no;
	return e;
}

static bool is_assignment(const struct lexeme *l)
{
	return l->kind == LEXEME_PUNCT && operator_strength(l->text) == 2;
}

static struct expr *parse_assign_inner(struct parser *p)
{
	struct expr *left = parse_binary(p, STRENGTH_BINARY_MIN);
	const struct lexeme *op = parser_peek(p);
	if (left && parser_take(p, "?"))
		return parse_choice(p, left);
	if (!left || !is_assignment(op))
		return left;
	p->at++;
	return pair(p, EXPR_ASSIGN, op->text, left, parse_assign(p));
}

struct expr *parse_assign(struct parser *p)
{
	if (p->depth >= PARSE_DEPTH)
		return NULL;
	p->depth++;
	struct expr *e = parse_assign_inner(p);
	p->depth--;
	return e;
}

struct expr *parse_expr(struct parser *p)
{
	struct expr *e = parse_assign(p);
	for (unsigned i = 0; e && parser_is(p, ","); i++) {
		if (i == PARSE_CHAIN)
			return NULL;
		p->at++;
		e = pair(p, EXPR_BINARY, ",", e, parse_assign(p));
	}
	return e;
}

/* Lists are built in growing chains of their own, as tables may be long. */
static struct expr *parse_list(struct parser *p)
{
	size_t cap = 16;
	struct expr *list = expr_new(p->a, EXPR_LIST, "{", cap);
	list->nr = 0;
	p->at++;
	while (!parser_is(p, "}")) {
		if (list->nr && !parser_take(p, ","))
			return NULL;
		if (parser_is(p, "}"))
			break;
		if (list->nr == cap) {
			struct expr **more = arena_array(p->a, 2 * cap, sizeof(struct expr *));
			memcpy(more, list->items, cap * sizeof(struct expr *));
			list->items = more;
			cap *= 2;
		}
		struct expr *item = parse_init(p);
		if (!item)
			return NULL;
		list->items[list->nr++] = item;
	}
	p->at++;
	return list;
}

struct expr *parse_init(struct parser *p)
{
	if (!parser_is(p, "{"))
		return parse_assign(p);
	if (p->depth >= PARSE_DEPTH)
		return NULL;
	p->depth++;
	struct expr *list = parse_list(p);
	p->depth--;
	return list;
}
