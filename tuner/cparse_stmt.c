#include "tuner/cparse_in.h"

/* Statements. Each is tried; what fails is skipped by its brackets and kept as text. Declarations
 * with several names become one statement a name, which is why a statement is parsed into its
 * block. */

#include <string.h>

#include "base/mem.h"
#include "tuner/clex.h"
#include "tuner/ir.h"

enum { DIMS_MAX = 6 };

static struct stmt *parse_inner(struct parser *p);
static bool parse_into(struct parser *p, struct stmt *block);

static bool skip_stmt(struct parser *p);

static char closer_of(const struct lexeme *l)
{
	if (lexeme_is(l, "("))
		return ')';
	if (lexeme_is(l, "["))
		return ']';
	return lexeme_is(l, "{") ? '}' : 0;
}

static bool is_closer(const struct lexeme *l)
{
	return lexeme_is(l, ")") || lexeme_is(l, "]") || lexeme_is(l, "}");
}

/* Over "( ... )" or "{ ... }" with all brackets inside matched by kind. */
static bool skip_balanced(struct parser *p)
{
	char open[PARSE_DEPTH];
	size_t nr = 0;
	do {
		const struct lexeme *l = parser_peek(p);
		char closer = closer_of(l);
		if (l->kind == LEXEME_END || nr == PARSE_DEPTH)
			return false;
		if (closer)
			open[nr++] = closer;
		else if (is_closer(l) && (!nr || open[--nr] != l->text[0]))
			return false;
		p->at++;
	} while (nr > 0);
	return true;
}

static bool skip_simple(struct parser *p)
{
	while (!parser_is(p, ";")) {
		const struct lexeme *l = parser_peek(p);
		if (l->kind == LEXEME_END || is_closer(l))
			return false;
		bool opens = closer_of(l) != 0;
		if (opens && !skip_balanced(p))
			return false;
		p->at += !opens;
	}
	p->at++;
	return true;
}

static bool skip_branch(struct parser *p)
{
	p->at++;
	if (!parser_is(p, "(") || !skip_balanced(p) || !skip_stmt(p))
		return false;
	return !parser_take(p, "else") || skip_stmt(p);
}

static bool skip_stmt_inner(struct parser *p)
{
	p->at += lexeme_is_hint(parser_peek(p));
	bool is_label = parser_peek(p)->kind == LEXEME_NAME &&
			lexeme_is(&p->lexemes->items[p->at + 1], ":");
	if (parser_is(p, "{"))
		return skip_balanced(p);
	if (parser_is(p, "if") || parser_is(p, "for") || parser_is(p, "while") ||
	    parser_is(p, "switch"))
		return skip_branch(p);
	if (parser_take(p, "do"))
		return skip_stmt(p) && skip_simple(p);
	if (is_label) {
		p->at += 2;
		return skip_stmt(p);
	}
	return skip_simple(p);
}

static bool skip_stmt(struct parser *p)
{
	if (p->depth >= PARSE_DEPTH)
		return false;
	p->depth++;
	bool is_ok = skip_stmt_inner(p);
	p->depth--;
	return is_ok;
}

static struct expr *parse_parenthesised(struct parser *p)
{
	if (!parser_take(p, "("))
		return NULL;
	struct expr *e = parse_expr(p);
	return e && parser_take(p, ")") ? e : NULL;
}

static struct stmt *with_body(struct parser *p, struct stmt *s)
{
	struct stmt *body = parse_inner(p);
	if (!body)
		return NULL;
	stmt_add(p->a, s, body);
	return s;
}

static struct stmt *parse_if(struct parser *p)
{
	struct stmt *s = stmt_new(p->a, STMT_IF);
	p->at++;
	s->expr = parse_parenthesised(p);
	if (!s->expr || !with_body(p, s))
		return NULL;
	return parser_take(p, "else") ? with_body(p, s) : s;
}

static struct stmt *parse_while(struct parser *p)
{
	struct stmt *s = stmt_new(p->a, STMT_WHILE);
	p->at++;
	s->expr = parse_parenthesised(p);
	return s->expr ? with_body(p, s) : NULL;
}

static struct stmt *parse_do(struct parser *p)
{
	struct stmt *s = stmt_new(p->a, STMT_DO);
	p->at++;
	if (!with_body(p, s) || !parser_take(p, "while"))
		return NULL;
	s->expr = parse_parenthesised(p);
	return s->expr && parser_take(p, ";") ? s : NULL;
}

static bool parse_dims(struct parser *p, struct decl *d)
{
	d->dims = arena_array(p->a, DIMS_MAX, sizeof(struct expr *));
	while (parser_take(p, "[")) {
		bool is_open = parser_is(p, "]");
		struct expr *dim = is_open ? expr_new(p->a, EXPR_TEXT, "", 0) : parse_expr(p);
		if (!dim || d->nr_dims == DIMS_MAX || !parser_take(p, "]"))
			return false;
		d->dims[d->nr_dims++] = dim;
	}
	return true;
}

static struct stmt *parse_declarator(struct parser *p, const char *type)
{
	struct stmt *s = stmt_decl(p->a, type, "", NULL);
	s->decl->stars = parse_stars(p);
	if (!parser_at_name(p))
		return NULL;
	s->decl->name = parser_peek(p)->text;
	p->at++;
	if (!parse_dims(p, s->decl))
		return NULL;
	if (parser_take(p, "=")) {
		s->decl->init = parse_init(p);
		if (!s->decl->init)
			return NULL;
	}
	return s;
}

/* Any other alignment stays where it is, and what follows is no type. */
static bool take_alignment(struct parser *p)
{
	size_t from = p->at;
	bool is_known = parser_take(p, "_Alignas") && parser_take(p, "(") && parser_take(p, "64") &&
			parser_take(p, ")");
	p->at = is_known ? p->at : from;
	return is_known;
}

/* All names of one declaration, added to the block only when all were understood. */
static bool parse_decl(struct parser *p, struct stmt *block)
{
	struct stmt *list = stmt_new(p->a, STMT_BLOCK);
	bool is_aligned = take_alignment(p);
	const char *type = parse_type(p);
	if (!type)
		return false;
	do {
		struct stmt *s = parse_declarator(p, type);
		if (!s)
			return false;
		s->decl->is_aligned = is_aligned;
		stmt_add(p->a, list, s);
	} while (parser_take(p, ","));
	if (!parser_take(p, ";"))
		return false;
	for (size_t i = 0; i < list->nr; i++)
		stmt_add(p->a, block, list->items[i]);
	return true;
}

static struct stmt *parse_for_init(struct parser *p)
{
	struct stmt *block = stmt_new(p->a, STMT_BLOCK);
	if (parser_take(p, ";"))
		return block;
	if (parser_at_type(p))
		return parse_decl(p, block) ? block : NULL;
	struct expr *e = parse_expr(p);
	if (!e || !parser_take(p, ";"))
		return NULL;
	stmt_add(p->a, block, stmt_expr(p->a, e));
	return block;
}

/* The optional expression in front of `end`; false when there is one that is not understood. */
static bool parse_optional(struct parser *p, const char *end, struct expr **out)
{
	if (parser_take(p, end))
		return true;
	*out = parse_expr(p);
	return *out && parser_take(p, end);
}

static struct stmt *parse_for(struct parser *p)
{
	struct stmt *s = stmt_new(p->a, STMT_FOR);
	p->at++;
	if (!parser_take(p, "("))
		return NULL;
	s->init = parse_for_init(p);
	if (!s->init || s->init->nr > 1)
		return NULL;
	if (!parse_optional(p, ";", &s->expr) || !parse_optional(p, ")", &s->step))
		return NULL;
	return with_body(p, s);
}

static struct stmt *parse_jump(struct parser *p)
{
	struct stmt *s = stmt_new(p->a, STMT_JUMP);
	s->text = parser_peek(p)->text;
	p->at++;
	return parse_optional(p, ";", &s->expr) ? s : NULL;
}

/* "a * b;" is a declaration with a type that is not known here. */
static bool is_hidden_decl(const struct expr *e)
{
	return e->kind == EXPR_BINARY && strcmp(e->text, "*") == 0 &&
	       e->items[0]->kind == EXPR_NAME;
}

static struct stmt *parse_expr_stmt(struct parser *p)
{
	struct stmt *s = stmt_new(p->a, STMT_EXPR);
	if (!parse_optional(p, ";", &s->expr))
		return NULL;
	return s->expr && is_hidden_decl(s->expr) ? NULL : s;
}

/* A pragma stands in front of a for statement. */
static struct stmt *parse_hinted(struct parser *p)
{
	const char *hint = parser_peek(p)->text;
	p->at++;
	struct stmt *s = parser_is(p, "for") ? parse_for(p) : NULL;
	if (s)
		s->text = hint;
	return s;
}

static struct stmt *parse_stmt(struct parser *p)
{
	if (lexeme_is_hint(parser_peek(p)))
		return parse_hinted(p);
	if (parser_is(p, "{"))
		return parse_block(p);
	if (parser_is(p, "for"))
		return parse_for(p);
	if (parser_is(p, "if"))
		return parse_if(p);
	if (parser_is(p, "while"))
		return parse_while(p);
	if (parser_is(p, "do"))
		return parse_do(p);
	if (parser_is(p, "break") || parser_is(p, "continue") || parser_is(p, "return"))
		return parse_jump(p);
	return parse_expr_stmt(p);
}

static struct stmt *parse_opaque(struct parser *p)
{
	size_t from = p->at;
	if (!skip_stmt(p))
		return NULL;
	struct stmt *s = stmt_new(p->a, STMT_OPAQUE);
	s->text = parser_text(p, from);
	return s;
}

/* One statement into the block, as text if need be. */
static bool parse_into(struct parser *p, struct stmt *block)
{
	size_t from = p->at;
	if (parser_at_type(p)) {
		if (parse_decl(p, block))
			return true;
	} else {
		struct stmt *s = parse_stmt(p);
		if (s) {
			stmt_add(p->a, block, s);
			return true;
		}
	}
	p->at = from;
	struct stmt *s = parse_opaque(p);
	if (s)
		stmt_add(p->a, block, s);
	return s != NULL;
}

/* The one statement of a branch or loop. */
static struct stmt *parse_inner(struct parser *p)
{
	struct stmt *block = stmt_new(p->a, STMT_BLOCK);
	if (p->depth >= PARSE_DEPTH)
		return NULL;
	p->depth++;
	bool is_ok = parse_into(p, block);
	p->depth--;
	if (!is_ok)
		return NULL;
	return block->nr == 1 ? block->items[0] : block;
}

struct stmt *parse_block(struct parser *p)
{
	struct stmt *block = stmt_new(p->a, STMT_BLOCK);
	if (p->depth >= PARSE_DEPTH || !parser_take(p, "{"))
		return NULL;
	p->depth++;
	bool is_ok = true;
	while (is_ok && !parser_is(p, "}"))
		is_ok = parser_peek(p)->kind != LEXEME_END && parse_into(p, block);
	p->depth--;
	return is_ok && parser_take(p, "}") ? block : NULL;
}
