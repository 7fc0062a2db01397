#include "tuner/clex.h"

/* Maximal munch over a NUL-terminated text. A backslash at the end of a line is white space here:
 * nobody splits a name over two lines in a kernel, and if so the parse fails and says where. */

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"

struct lexer {
	const char *source;
	const char *at;
	unsigned line;
	bool is_line_start;
};

static const char *const puncts[] = { "<<=", ">>=", "...", "->", "++", "--", "<<", ">>",
				      "<=",  ">=",  "==",  "!=", "&&", "||", "+=", "-=",
				      "*=",  "/=",  "%=",  "&=", "|=", "^=", "##" };

bool lexeme_is(const struct lexeme *l, const char *text)
{
	return (l->kind == LEXEME_PUNCT || l->kind == LEXEME_NAME) && strcmp(l->text, text) == 0;
}

void lexemes_release(struct lexemes *list)
{
	free(list->items);
	*list = (struct lexemes){ 0 };
}

void lexemes_add(struct lexemes *list, struct lexeme item)
{
	if (list->nr + 1 >= list->cap) {
		list->cap = list->cap ? 2 * list->cap : 256;
		list->items = xreallocarray(list->items, list->cap, sizeof(*list->items));
	}
	list->items[list->nr++] = item;
	list->items[list->nr] = (struct lexeme){ .kind = LEXEME_END,
						 .text = "",
						 .begin = item.end,
						 .end = item.end,
						 .line = item.line };
}

static bool is_name_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static void skip_char(struct lexer *x)
{
	if (*x->at == '\n') {
		x->line++;
		x->is_line_start = true;
	}
	x->at++;
}

static int skip_comment(struct lexer *x, struct err *e)
{
	unsigned line = x->line;
	if (x->at[1] == '/') {
		while (*x->at && *x->at != '\n') {
			if (x->at[0] == '\\' && x->at[1] == '\n') /* the comment goes on */
				skip_char(x);
			skip_char(x);
		}
		return 0;
	}
	x->at += 2;
	while (*x->at && !(x->at[0] == '*' && x->at[1] == '/'))
		skip_char(x);
	if (!*x->at)
		return err_set(e, ERR_INPUT, "line %u: comment without an end", line);
	x->at += 2;
	return 0;
}

static bool at_comment(const struct lexer *x)
{
	return x->at[0] == '/' && (x->at[1] == '/' || x->at[1] == '*');
}

static int skip_blank(struct lexer *x, struct err *e)
{
	for (;;) {
		bool was_line_start = x->is_line_start;
		if (at_comment(x)) {
			if (skip_comment(x, e) < 0)
				return -1;
			x->is_line_start = was_line_start;
		} else if (isspace((unsigned char)*x->at) ||
			   (x->at[0] == '\\' && x->at[1] == '\n')) {
			skip_char(x);
		} else {
			return 0;
		}
	}
}

static int take_quoted(struct lexer *x, struct err *e)
{
	char quote = *x->at++;
	while (*x->at && *x->at != quote && *x->at != '\n')
		x->at += x->at[0] == '\\' && x->at[1] ? 2 : 1;
	if (*x->at != quote)
		return err_set(e, ERR_INPUT, "line %u: literal without an end", x->line);
	x->at++;
	return 0;
}

static void take_number(struct lexer *x)
{
	while (is_name_char(*x->at) || *x->at == '.' ||
	       ((*x->at == '+' || *x->at == '-') && strchr("eEpP", x->at[-1])))
		x->at++;
}

static void take_directive(struct lexer *x)
{
	while (*x->at && *x->at != '\n') {
		if (x->at[0] == '\\' && x->at[1] == '\n')
			skip_char(x);
		skip_char(x);
	}
}

static int take_punct(struct lexer *x, struct err *e)
{
	for (size_t i = 0; i < ARRAY_LEN(puncts); i++) {
		if (str_starts(x->at, puncts[i])) {
			x->at += strlen(puncts[i]);
			return 0;
		}
	}
	if (!strchr("+-*/%=<>!&|^~?:;,.()[]{}#", *x->at))
		return err_set(e, ERR_INPUT, "line %u: a byte that is no C: 0x%02x", x->line,
			       (unsigned)(unsigned char)*x->at);
	x->at++;
	return 0;
}

/* Moves past one lexeme and says what it was. */
static int take_lexeme(struct lexer *x, enum lexeme_kind *kind, struct err *e)
{
	char c = *x->at;
	bool is_number =
		isdigit((unsigned char)c) || (c == '.' && isdigit((unsigned char)x->at[1]));
	*kind = c == '"' ? LEXEME_STRING : c == '\'' ? LEXEME_CHAR : LEXEME_PUNCT;
	if (c == '"' || c == '\'')
		return take_quoted(x, e);
	if (c == '#' && x->is_line_start) {
		*kind = LEXEME_DIRECTIVE;
		take_directive(x);
	} else if (is_number) {
		*kind = LEXEME_NUMBER;
		take_number(x);
	} else if (is_name_char(c)) {
		*kind = LEXEME_NAME;
		while (is_name_char(*x->at))
			x->at++;
	} else {
		return take_punct(x, e);
	}
	return 0;
}

int clex_scan(struct lexemes *out, const char *source, struct arena *a, struct err *e)
{
	struct lexer x = { .source = source, .at = source, .line = 1, .is_line_start = true };
	for (;;) {
		if (skip_blank(&x, e) < 0)
			return -1;
		if (!*x.at)
			break;
		struct lexeme l = { .begin = (size_t)(x.at - source), .line = x.line };
		if (take_lexeme(&x, &l.kind, e) < 0)
			return -1;
		x.is_line_start = false;
		l.end = (size_t)(x.at - source);
		l.text = arena_strndup(a, source + l.begin, l.end - l.begin);
		lexemes_add(out, l);
	}
	if (!out->nr)
		return err_set(e, ERR_INPUT, "the source is empty");
	return 0;
}

bool lexeme_is_hint(const struct lexeme *l)
{
	static const char *const hints[] = { "#pragma omp simd", "#pragma GCC unroll ",
					     "#pragma unroll " };
	for (size_t i = 0; l->kind == LEXEME_DIRECTIVE && i < ARRAY_LEN(hints); i++)
		if (str_starts(l->text, hints[i]))
			return true;
	return false;
}
