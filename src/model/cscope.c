#include "model/cscope.h"

/* Two passes. The scanner cuts words and knows where preprocessor lines begin and end; the reader
 * walks the words outside of them, one external declaration after the other, and skips everything
 * in brackets that is no declarator: bodies, initialisers, attributes, parameters. */

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct scan {
	const char *at;
	bool is_line_start; /* only blanks and comments so far */
	bool is_directive;
	size_t nr_ifs; /* open */
	struct cscope *out;
};

static bool is_name_start(char c)
{
	return isalpha((unsigned char)c) || c == '_' || c == '$';
}

static bool is_name_part(char c)
{
	return is_name_start(c) || isdigit((unsigned char)c);
}

/* Length of a spliced line end, "\\\n" or "\\\r\n"; 0: there is none here. */
static size_t splice_len(const char *at)
{
	if (at[0] != '\\')
		return 0;
	return at[1] == '\n' ? 2 : at[1] == '\r' && at[2] == '\n' ? 3 : 0;
}

static size_t to_line_end(const char *at)
{
	size_t len = 0;
	while (at[len] && at[len] != '\n')
		len += splice_len(at + len) ? splice_len(at + len) : 1;
	return len;
}

static size_t comment_len(const char *at)
{
	if (str_starts(at, "//"))
		return to_line_end(at);
	if (!str_starts(at, "/*"))
		return 0;
	const char *end = strstr(at + 2, "*/");
	return end ? (size_t)(end + 2 - at) : strlen(at);
}

static size_t literal_len(const char *at)
{
	size_t len = 1;
	while (at[len] && at[len] != *at && at[len] != '\n') {
		size_t splice = splice_len(at + len);
		len += splice ? splice : at[len] == '\\' && at[len + 1] ? 2 : 1;
	}
	return len + (at[len] == *at);
}

static size_t name_len(const char *at)
{
	size_t len = 0;
	while (is_name_part(at[len]))
		len++;
	return len;
}

static bool is_exponent(char c)
{
	return c && strchr("eEpP", c);
}

static size_t number_len(const char *at)
{
	size_t len = 0;
	while (is_name_part(at[len]) || at[len] == '.' ||
	       (len && at[len] && strchr("+-", at[len]) && is_exponent(at[len - 1])))
		len++;
	return len;
}

static void add(struct scan *s, enum cword_kind kind, size_t len)
{
	struct cscope *c = s->out;
	if (c->nr == c->cap) {
		c->cap = c->cap ? size_mul(c->cap, 2) : 256;
		c->words = xreallocarray(c->words, c->cap, sizeof(*c->words));
	}
	c->words[c->nr++] = (struct cword){
		.kind = kind, .at = s->at, .len = len, .is_directive = s->is_directive
	};
	s->at += len;
}

/* Each once. The lists are searched by walking them, so their length is limited. */
static void keep(struct cscope *c, struct strv *list, const char *at, size_t len)
{
	AUTO_FREE char *text = xstrndup(at, len);
	if (c->is_too_large || strv_has(list, text))
		return;
	if (list->nr == CSCOPE_MAX_NAMES)
		c->is_too_large = true;
	else
		strv_add(list, text);
}

/* A header that a macro names is not known here. */
static void keep_include(struct scan *s, const char *word)
{
	const char *name = word + strlen("include");
	size_t len = to_line_end(s->at);
	name += strspn(name, " \t");
	if (!s->nr_ifs && (*name == '<' || *name == '"'))
		keep(s->out, &s->out->includes, s->at, len - (s->at[len - 1] == '\r'));
	s->at += len;
}

/* An #include line says names that are not the source's; others are read like code. */
static void start_directive(struct scan *s)
{
	const char *word = s->at + 1 + strspn(s->at + 1, " \t");
	s->is_directive = true;
	if (str_starts(word, "include")) {
		keep_include(s, word);
		return;
	}
	if (str_starts(word, "if"))
		s->nr_ifs++;
	else if (str_starts(word, "endif") && s->nr_ifs)
		s->nr_ifs--;
	add(s, CWORD_PUNCTUATION, 1);
}

static void scan_word(struct scan *s)
{
	const char *at = s->at;
	bool is_number =
		isdigit((unsigned char)*at) || (*at == '.' && isdigit((unsigned char)at[1]));
	if (*at == '"' || *at == '\'')
		add(s, CWORD_LITERAL, literal_len(at));
	else if (is_name_start(*at))
		add(s, CWORD_NAME, name_len(at));
	else
		add(s, is_number ? CWORD_NUMBER : CWORD_PUNCTUATION,
		    is_number ? number_len(at) : 1);
}

static void scan_next(struct scan *s)
{
	size_t splice = splice_len(s->at);
	size_t comment = comment_len(s->at);
	if (splice) {
		s->at += splice;
	} else if (comment) {
		add(s, CWORD_COMMENT, comment);
	} else if (isspace((unsigned char)*s->at)) {
		bool is_end = *s->at == '\n';
		s->is_line_start = s->is_line_start || is_end;
		s->is_directive = s->is_directive && !is_end;
		s->at++;
	} else if (*s->at == '#' && s->is_line_start) {
		s->is_line_start = false;
		start_directive(s);
	} else {
		s->is_line_start = false;
		scan_word(s);
	}
}

bool cword_is(const struct cword *w, const char *text)
{
	return w->len == strlen(text) && strncmp(w->at, text, w->len) == 0;
}

/* The reader sees words of code only. */
struct reader {
	struct cscope *c;
	const struct cword **code;
	size_t nr;
};

static const struct cword nothing = { .kind = CWORD_PUNCTUATION, .at = "", .len = 0 };

static const struct cword *word_at(const struct reader *r, size_t i)
{
	return i < r->nr ? r->code[i] : &nothing;
}

static bool is_at(const struct reader *r, size_t i, const char *text)
{
	return cword_is(word_at(r, i), text);
}

static bool is_one_of(const struct cword *w, const char *const *list, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (cword_is(w, list[i]))
			return true;
	return false;
}

/* Words that take a parenthesis and declare nothing. */
static bool takes_brackets(const struct cword *w)
{
	static const char *const words[] = {
		"__attribute__", "__attribute", "_Alignas",       "alignas",       "__typeof__",
		"typeof",        "__typeof",    "_Static_assert", "static_assert", "__asm__",
		"__asm",         "asm",         "_Pragma",        "_Atomic",
	};
	return w->kind == CWORD_NAME && is_one_of(w, words, ARRAY_LEN(words));
}

static bool is_attribute(const struct cword *w)
{
	return cword_is(w, "__attribute__") || cword_is(w, "__attribute");
}

/* Behind the bracket that matches the one at `open`, whatever kinds are in between. */
static size_t behind(const struct reader *r, size_t open)
{
	size_t depth = 0;
	for (size_t i = open; i < r->nr; i++) {
		const struct cword *w = r->code[i];
		if (w->kind != CWORD_PUNCTUATION)
			continue;
		if (strchr("([{", *w->at))
			depth++;
		else if (strchr(")]}", *w->at) && --depth == 0)
			return i + 1;
	}
	return r->nr;
}

static void declare(struct reader *r, size_t at)
{
	if (word_at(r, at)->kind == CWORD_NAME)
		keep(r->c, &r->c->names, word_at(r, at)->at, word_at(r, at)->len);
}

static bool is_tag_word(const struct cword *w)
{
	return cword_is(w, "struct") || cword_is(w, "union") || cword_is(w, "enum");
}

/* "{ A, B = 3 }" of an enum; returns what is behind it. */
static size_t read_enumerators(struct reader *r, size_t open)
{
	size_t end = behind(r, open);
	for (size_t i = open + 1; i < end;) {
		declare(r, i);
		while (i + 1 < end && !is_at(r, i, ","))
			i = is_at(r, i, "(") || is_at(r, i, "{") ? behind(r, i) : i + 1;
		i++;
	}
	return end;
}

static size_t skip_attributes(const struct reader *r, size_t at)
{
	while (takes_brackets(word_at(r, at)) && is_at(r, at + 1, "("))
		at = behind(r, at + 1);
	return at;
}

/* The tag behind "struct", "union" or "enum", where it has a body. Returns the place of that, or of
 * what follows instead. */
static size_t read_tag_name(struct reader *r, size_t at)
{
	size_t name = skip_attributes(r, at + 1);
	size_t open = word_at(r, name)->kind == CWORD_NAME ? name + 1 : name;
	if (is_at(r, open, "{") && open > name)
		declare(r, name);
	return open;
}

/* From "struct", "union" or "enum" to behind its tag and body. Types within a body count too; they
 * are found in one walk over it, however deep they lie. */
static size_t read_tag(struct reader *r, size_t at)
{
	size_t open = read_tag_name(r, at);
	if (!is_at(r, open, "{"))
		return open;
	size_t end = behind(r, open);
	for (size_t i = at; i < end;) {
		bool is_enum = is_at(r, i, "enum");
		size_t next = is_tag_word(word_at(r, i)) ? read_tag_name(r, i) : i + 1;
		i = is_enum && is_at(r, next, "{") ? read_enumerators(r, next) : next;
	}
	return end;
}

static size_t skip_initialiser(const struct reader *r, size_t at)
{
	while (at < r->nr && !is_at(r, at, ",") && !is_at(r, at, ";"))
		at = strchr("([{", *word_at(r, at)->at) && word_at(r, at)->len ? behind(r, at)
									       : at + 1;
	return at;
}

/* One external declaration as it is read. */
struct external {
	size_t first;
	bool is_extern;
	bool is_over;
};

/* "(*name" of a pointer declarator: the place of the name, or 0. */
static size_t pointer_name(const struct reader *r, size_t open)
{
	static const char *const qualifiers[] = { "const", "volatile", "restrict", "__restrict",
						  "__restrict__" };
	size_t at = open + 1;
	if (!is_at(r, at, "*"))
		return 0;
	while (is_at(r, at, "*") || is_one_of(word_at(r, at), qualifiers, ARRAY_LEN(qualifiers)))
		at++;
	return word_at(r, at)->kind == CWORD_NAME ? at : 0;
}

/* A parenthesis behind a name: parameters with a body or without, or a macro's arguments. */
static size_t read_brackets(struct reader *r, struct external *x, size_t open)
{
	size_t end = behind(r, open);
	size_t pointer = pointer_name(r, open);
	bool is_named = open > x->first && word_at(r, open - 1)->kind == CWORD_NAME;
	if (is_named && is_at(r, end, "{")) {
		declare(r, open - 1);
		x->is_over = true;
		return behind(r, end);
	}
	if (pointer && !x->is_extern)
		declare(r, pointer);
	return end;
}

/* A name is a declarator when what follows ends it; the first word of all is a type. */
static void read_name(struct reader *r, const struct external *x, size_t at)
{
	static const char ends[] = "=[;,";
	size_t next = skip_attributes(r, at + 1);
	const struct cword *w = word_at(r, next);
	bool is_end = w->kind == CWORD_PUNCTUATION && w->len && strchr(ends, *w->at);
	if (is_end && at > x->first && !x->is_extern)
		declare(r, at);
}

static size_t read_word(struct reader *r, struct external *x, size_t at)
{
	const struct cword *w = word_at(r, at);
	if (is_tag_word(w))
		return read_tag(r, at);
	if (takes_brackets(w) && is_at(r, at + 1, "("))
		return behind(r, at + 1);
	if (w->kind == CWORD_NAME) {
		x->is_extern = x->is_extern || cword_is(w, "extern");
		read_name(r, x, at);
		return at + 1;
	}
	if (cword_is(w, "("))
		return read_brackets(r, x, at);
	if (cword_is(w, "="))
		return skip_initialiser(r, at + 1);
	x->is_over = cword_is(w, ";");
	return cword_is(w, "{") || cword_is(w, "[") ? behind(r, at) : at + 1;
}

static void read_declarations(struct reader *r)
{
	for (size_t at = 0; at < r->nr;) {
		struct external x = { .first = at };
		while (at < r->nr && !x.is_over)
			at = read_word(r, &x, at);
	}
}

static void read_macros(struct cscope *c)
{
	for (size_t i = 0; i + 2 < c->nr; i++) {
		const struct cword *w = &c->words[i];
		bool is_definition = w->is_directive && cword_is(w, "#") &&
				     (cword_is(w + 1, "define") || cword_is(w + 1, "undef"));
		if (!is_definition || w[2].kind != CWORD_NAME)
			continue;
		keep(c, &c->macros, w[2].at, w[2].len);
	}
}

/* Names at the second level of an attribute's brackets are the compiler's. */
static void mark_attributes(struct cscope *c)
{
	size_t depth = 0;
	bool is_within = false;
	for (size_t i = 0; i < c->nr; i++) {
		struct cword *w = &c->words[i];
		if (depth == 0)
			is_within = i > 0 && is_attribute(w - 1) && cword_is(w, "(");
		w->is_attribute = is_within && depth == 2 && w->kind == CWORD_NAME;
		if (is_within && cword_is(w, "("))
			depth++;
		if (is_within && cword_is(w, ")"))
			depth--;
	}
}

void cscope_read(struct cscope *c, const char *text)
{
	*c = (struct cscope){ .text = text };
	struct scan s = { .at = text, .is_line_start = true, .out = c };
	while (*s.at)
		scan_next(&s);
	struct reader r = { .c = c, .code = xcalloc(c->nr + 1, sizeof(*r.code)) };
	for (size_t i = 0; i < c->nr; i++)
		if (!c->words[i].is_directive && c->words[i].kind != CWORD_COMMENT)
			r.code[r.nr++] = &c->words[i];
	read_declarations(&r);
	free(r.code);
	read_macros(c);
	mark_attributes(c);
}

void cscope_release(struct cscope *c)
{
	free(c->words);
	strv_release(&c->names);
	strv_release(&c->macros);
	strv_release(&c->includes);
	*c = (struct cscope){ 0 };
}

bool cscope_has_stem(const struct cscope *c, const char *stem)
{
	size_t len = strlen(stem);
	for (size_t i = 0; i < c->nr; i++) {
		const struct cword *w = &c->words[i];
		if (w->kind == CWORD_NAME && w->len > len && strncmp(w->at, stem, len) == 0 &&
		    isdigit((unsigned char)w->at[len]))
			return true;
	}
	return false;
}

static bool is_own(const struct cscope *c, const struct cword *w)
{
	if (w->kind != CWORD_NAME || w->is_attribute)
		return false;
	for (size_t i = 0; i < c->names.nr; i++)
		if (cword_is(w, c->names.items[i]))
			return true;
	return false;
}

static bool holds(const struct cword *w, const char *text)
{
	return memmem(w->at, w->len, text, strlen(text)) != NULL;
}

void cscope_print(const struct cscope *c, const char *prefix, const char *dropped, struct str *out)
{
	const char *done = c->text;
	for (size_t i = 0; i < c->nr; i++) {
		const struct cword *w = &c->words[i];
		bool is_dropped = w->kind == CWORD_COMMENT && holds(w, dropped);
		str_add_len(out, done, (size_t)(w->at - done));
		str_add(out, is_own(c, w) ? prefix : "");
		str_add_len(out, is_dropped ? " " : w->at, is_dropped ? 1 : w->len);
		done = w->at + w->len;
	}
	str_add(out, done);
}
