/* What the parts of the parser share: a cursor over lexemes. Functions that return a node return
 * NULL for "not understood" and leave the cursor anywhere; the statement level rewinds. */
#ifndef FORGE_TUNER_CPARSE_IN_H
#define FORGE_TUNER_CPARSE_IN_H

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct expr;
struct lexeme;
struct lexemes;
struct macros;
struct stmt;
struct strv;

struct parser {
	const struct lexemes *lexemes;
	size_t at;
	struct arena *a;
	const char *source;
	const struct macros *macros; /* names that are left are not understood */
	const struct strv *types;    /* typedef names of the source */
	unsigned depth;
};

/* Nesting of statements and expressions: bounds the recursion of everything that walks a tree. */
enum { PARSE_DEPTH = 100, PARSE_CHAIN = 300 };

const struct lexeme *parser_peek(const struct parser *p);
bool parser_is(const struct parser *p, const char *text);
/* Step over the text if it is next. */
bool parser_take(struct parser *p, const char *text);
/* The source text of lexemes [from, p->at), in the arena. */
const char *parser_text(const struct parser *p, size_t from);

/* A word that may name a variable: no keyword, no macro that is left, no type. */
bool parser_at_name(const struct parser *p);
bool parser_at_type(const struct parser *p);
/* "const float": NULL when it is no type, has storage other than static const, or is a struct
 * body. */
const char *parse_type(struct parser *p);
/* "*", "*restrict *": empty text when there are none. */
const char *parse_stars(struct parser *p);

struct expr *parse_expr(struct parser *p);   /* with commas */
struct expr *parse_assign(struct parser *p); /* without */
struct expr *parse_init(struct parser *p);   /* an initialiser */

/* "{ ... }" at the cursor; NULL only when braces do not match or nest too deep. */
struct stmt *parse_block(struct parser *p);

#endif
