#include "tuner/cparse_in.h"

/* A word starts a type when it is a keyword of one, a typedef of the source, or ends in _t. */

#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "tuner/clex.h"

static const char *const base_words[] = { "void",  "char",     "short",  "int",      "long",
					  "float", "double",   "signed", "unsigned", "_Bool",
					  "bool",  "_Float16", "__bf16", "__int128" };
static const char *const qualifiers[] = { "const", "volatile" };
static const char *const pointer_words[] = { "const", "volatile", "restrict", "__restrict",
					     "__restrict__" };

static bool is_one_of(const struct lexeme *l, const char *const *words, size_t nr)
{
	for (size_t i = 0; l->kind == LEXEME_NAME && i < nr; i++)
		if (strcmp(l->text, words[i]) == 0)
			return true;
	return false;
}

static bool is_base(const struct lexeme *l)
{
	return is_one_of(l, base_words, ARRAY_LEN(base_words));
}

static bool is_qualifier(const struct lexeme *l)
{
	return is_one_of(l, qualifiers, ARRAY_LEN(qualifiers));
}

static bool is_typedef(const struct parser *p, const struct lexeme *l)
{
	if (l->kind != LEXEME_NAME)
		return false;
	return strv_has(p->types, l->text) || (strlen(l->text) > 2 && str_ends(l->text, "_t"));
}

/* A type by its tag; one that is defined on the spot is not understood. */
static bool is_tag(const struct lexeme *l)
{
	return l->kind != LEXEME_END && l[1].kind == LEXEME_NAME &&
	       (lexeme_is(l, "struct") || lexeme_is(l, "union") || lexeme_is(l, "enum"));
}

bool parser_at_type(const struct parser *p)
{
	const struct lexeme *l = parser_peek(p);
	return is_base(l) || is_qualifier(l) || is_tag(l) || is_typedef(p, l) ||
	       lexeme_is(l, "static") || lexeme_is(l, "_Alignas");
}

static void add_word(struct str *text, const char *word)
{
	if (text->len)
		str_add_char(text, ' ');
	str_add(text, word);
}

/* One word of a type (two for a tag); false when the next word is none. */
static bool take_word(struct parser *p, struct str *text, bool *has_base)
{
	const struct lexeme *l = parser_peek(p);
	bool is_name = !*has_base && is_typedef(p, l);
	if (!is_base(l) && !is_qualifier(l) && !lexeme_is(l, "static") && !is_name && !is_tag(l))
		return false;
	add_word(text, l->text);
	p->at++;
	*has_base = *has_base || is_base(l) || is_name;
	if (is_tag(l)) {
		add_word(text, parser_peek(p)->text);
		p->at++;
		*has_base = true;
	}
	return true;
}

const char *parse_type(struct parser *p)
{
	AUTO_STR struct str text = STR_INIT;
	bool has_base = false;
	while (parser_peek(p)->kind != LEXEME_END && take_word(p, &text, &has_base))
		;
	bool is_static = strstr(text.text, "static") != NULL;
	if (!has_base || (is_static && !strstr(text.text, "const")))
		return NULL;
	return arena_strdup(p->a, text.text);
}

const char *parse_stars(struct parser *p)
{
	AUTO_STR struct str text = STR_INIT;
	while (parser_is(p, "*") ||
	       (text.len && is_one_of(parser_peek(p), pointer_words, ARRAY_LEN(pointer_words)))) {
		str_add(&text, parser_peek(p)->text);
		if (!parser_is(p, "*"))
			str_add_char(&text, ' ');
		p->at++;
	}
	return arena_strdup(p->a, text.text);
}
