#include "model/ctokens.h"

/* One pass over the characters. Punctuation is one character a token, so that runs compare without
 * a table of operators. A function is defined where its name is followed by a parenthesis whose
 * match is followed by '{'; that holds whatever #if branches do to the braces around it. */

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

struct scan {
	const char *at;
	unsigned line;
	bool is_prose;
	struct ctokens *out;
};

static void step(struct scan *s)
{
	s->line += *s->at == '\n';
	s->at++;
}

static void skip_to(struct scan *s, const char *end)
{
	size_t len = strlen(end);
	while (*s->at && strncmp(s->at, end, len) != 0)
		step(s);
	for (size_t i = 0; i < len && *s->at; i++)
		step(s);
}

/* To the end of the line, or of the one that a backslash joins to it. */
static void skip_line(struct scan *s)
{
	while (*s->at && *s->at != '\n') {
		size_t blanks = *s->at == '\\' ? strspn(s->at + 1, " \t\f\v\r") : 0;
		bool joins = *s->at == '\\' && s->at[1 + blanks] == '\n';
		for (size_t i = 0; joins && i <= blanks; i++)
			step(s);
		step(s);
	}
}

static void skip_literal(struct scan *s)
{
	char quote = *s->at;
	step(s);
	while (*s->at && *s->at != quote && *s->at != '\n') {
		if (*s->at == '\\' && s->at[1])
			step(s);
		step(s);
	}
	if (*s->at == quote)
		step(s);
}

static void add(struct scan *s, enum ctoken_kind kind, const char *text, size_t len)
{
	struct ctokens *t = s->out;
	if (t->nr == t->cap) {
		t->cap = t->cap ? size_mul(t->cap, 2) : 256;
		t->items = xreallocarray(t->items, t->cap, sizeof(*t->items));
	}
	t->items[t->nr++] = (struct ctoken){ kind, arena_strndup(&t->arena, text, len), s->line };
}

static size_t word_len(const char *at, const char *more)
{
	size_t len = 0;
	while (isalnum((unsigned char)at[len]) || (at[len] && strchr(more, at[len])))
		len++;
	return len;
}

static void scan_token(struct scan *s)
{
	const char *at = s->at;
	bool is_name = isalpha((unsigned char)*at) || *at == '_';
	bool is_number = isdigit((unsigned char)*at);
	if (!s->is_prose && (*at == '"' || *at == '\'')) {
		add(s, CTOKEN_LITERAL, at, 1);
		skip_literal(s);
		return;
	}
	size_t len = is_name ? word_len(at, "_") : is_number ? word_len(at, "._") : 1;
	add(s, is_name ? CTOKEN_NAME : is_number ? CTOKEN_NUMBER : CTOKEN_PUNCTUATION, at, len);
	s->at += len;
}

static bool is_include(const char *at)
{
	at += 1 + strspn(at + 1, " \t");
	return str_starts(at, "include");
}

/* Comments and include lines; false where a token starts. */
static bool skip_unread(struct scan *s)
{
	if (s->is_prose)
		return false;
	if (str_starts(s->at, "//") || (*s->at == '#' && is_include(s->at)))
		skip_line(s);
	else if (str_starts(s->at, "/*"))
		skip_to(s, "*/");
	else
		return false;
	return true;
}

static void scan_all(struct scan *s)
{
	*s->out = (struct ctokens){ 0 };
	while (*s->at) {
		if (isspace((unsigned char)*s->at) || *s->at == '\\')
			step(s);
		else if (!skip_unread(s))
			scan_token(s);
	}
}

void ctokens_scan(struct ctokens *t, const char *text)
{
	struct scan s = { text, 1, false, t };
	scan_all(&s);
}

void ctokens_scan_prose(struct ctokens *t, const char *text)
{
	struct scan s = { text, 1, true, t };
	scan_all(&s);
}

void ctokens_release(struct ctokens *t)
{
	free(t->items);
	arena_release(&t->arena);
	*t = (struct ctokens){ 0 };
}

bool ctoken_is(const struct ctoken *token, const char *text)
{
	return strcmp(token->text, text) == 0;
}

static bool is_one_of(const char *name, const char *const *list, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (strcmp(name, list[i]) == 0)
			return true;
	return false;
}

const char *ctoken_common_kind(const char *name)
{
	static const char *const words[] = {
		"auto",    "if",       "for",      "do",        "break",    "case",     "char",
		"const",   "continue", "default",  "define",    "double",   "else",     "endif",
		"enum",    "extern",   "float",    "goto",      "ifdef",    "ifndef",   "inline",
		"int",     "long",     "pragma",   "register",  "restrict", "return",   "short",
		"signed",  "sizeof",   "static",   "struct",    "switch",   "typedef",  "undef",
		"union",   "unsigned", "void",     "volatile",  "while",    "bool",     "true",
		"false",   "size_t",   "ssize_t",  "ptrdiff_t", "int8_t",   "int16_t",  "int32_t",
		"int64_t", "uint8_t",  "uint16_t", "uint32_t",  "uint64_t", "intptr_t", "uintptr_t",
	};
	static const char *const library[] = {
		"NULL",    "sqrt",    "sqrtf",     "expf",      "logf",      "fabs",
		"fabsf",   "fmax",    "fmaxf",     "fmin",      "fminf",     "tanh",
		"tanhf",   "powf",    "fmaf",      "sinf",      "cosf",      "erff",
		"memcpy",  "memset",  "malloc",    "free",      "calloc",    "INFINITY",
		"FLT_MAX", "DBL_MAX", "INT32_MAX", "INT64_MAX", "INT64_MIN",
	};
	if (strcmp(name, "main") == 0)
		return "where a C program starts";
	if (is_one_of(name, words, ARRAY_LEN(words)))
		return "a word of C";
	return is_one_of(name, library, ARRAY_LEN(library)) ? "a name of the C library" : NULL;
}

bool ctoken_is_common(const char *name)
{
	return ctoken_common_kind(name) != NULL;
}

/* Index behind the parenthesis that matches the one at `open`. */
static size_t match_paren(const struct ctokens *t, size_t open)
{
	size_t depth = 0;
	for (size_t i = open; i < t->nr; i++) {
		if (ctoken_is(&t->items[i], "("))
			depth++;
		else if (ctoken_is(&t->items[i], ")") && --depth == 0)
			return i + 1;
	}
	return t->nr;
}

static bool is_qualifier(const struct ctoken *token)
{
	static const char *const words[] = { "const",        "restrict", "__restrict",
					     "__restrict__", "volatile", "register" };
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (ctoken_is(token, words[i]))
			return true;
	return false;
}

/* The last name is the parameter, the names before it are its type; '*' or '[' make a pointer. */
static struct cparam read_param(struct ctokens *t, size_t from, size_t to)
{
	struct cparam param = { .name = "", .type = "" };
	for (size_t i = from; i < to; i++) {
		const struct ctoken *token = &t->items[i];
		if (ctoken_is(token, "*") || ctoken_is(token, "["))
			param.is_pointer = true;
		if (token->kind != CTOKEN_NAME || is_qualifier(token))
			continue;
		if (*param.name)
			param.type = arena_printf(&t->arena, "%s%s%s", param.type,
						  *param.type ? " " : "", param.name);
		param.name = token->text;
	}
	return param;
}

static void read_params(struct ctokens *t, size_t from, size_t to, struct cfunction *out)
{
	size_t depth = 0;
	size_t start = from;
	out->nr_params = 0;
	out->params = arena_array(&t->arena, to - from + 1, sizeof(*out->params));
	for (size_t i = from; i <= to; i++) {
		bool is_end = i == to || (depth == 0 && ctoken_is(&t->items[i], ","));
		if (is_end && i > start)
			out->params[out->nr_params++] = read_param(t, start, i);
		if (is_end)
			start = i + 1;
		else if (strchr("([", *t->items[i].text))
			depth++;
		else if (strchr(")]", *t->items[i].text))
			depth--;
	}
	if (out->nr_params == 1 && strcmp(out->params[0].name, "void") == 0)
		out->nr_params = 0;
}

/* Whether the declaration that ends at token `at` starts with static. */
static bool is_static_at(const struct ctokens *t, size_t at)
{
	while (at-- > 0 && !strchr(";}", *t->items[at].text))
		if (ctoken_is(&t->items[at], "static"))
			return true;
	return false;
}

static bool is_function_name(const struct ctoken *token)
{
	return token->kind == CTOKEN_NAME && !ctoken_is_common(token->text);
}

bool ctokens_next_function(struct ctokens *t, size_t *at, struct cfunction *out)
{
	for (size_t i = *at; i + 1 < t->nr; i++) {
		if (!is_function_name(&t->items[i]) || !ctoken_is(&t->items[i + 1], "("))
			continue;
		size_t end = match_paren(t, i + 1);
		if (end >= t->nr || !ctoken_is(&t->items[end], "{"))
			continue;
		out->name = t->items[i].text;
		out->line = t->items[i].line;
		out->is_static = is_static_at(t, i);
		read_params(t, i + 2, end - 1, out);
		*at = end;
		return true;
	}
	return false;
}

bool ctokens_find_function(struct ctokens *t, const char *name, struct cfunction *out)
{
	size_t at = 0;
	while (ctokens_next_function(t, &at, out))
		if (strcmp(out->name, name) == 0)
			return true;
	return false;
}
