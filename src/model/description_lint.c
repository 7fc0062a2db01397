#include "model/lint.h"

/* A description says what, never how. The text is cut into words with their lines, so that phrases
 * match over line ends and hyphens; names of arguments and dims are the problem's own words and
 * never count. What advice looks like stands in how_words.def. */

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/err.h"
#include "base/file.h"
#include "base/json.h"

enum { MAX_BYTES = 1024 * 1024 };

struct word {
	const char *text;
	size_t len;
	unsigned line;
};

struct words {
	struct word *items;
	size_t nr;
};

struct how_row {
	const char *words;
	bool is_error;
};

enum { HOW_WARNING, HOW_ERROR };
static const struct how_row how_rows[] = {
#define HOW(words, severity) { words, HOW_##severity },
#include "model/how_words.def"
#undef HOW
};

static bool is_word_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static void split_words(struct arena *a, const char *text, struct words *out)
{
	unsigned line = 1;
	out->items = arena_array(a, strlen(text) / 2 + 1, sizeof(*out->items));
	while (*text) {
		size_t len = 0;
		while (is_word_char(text[len]))
			len++;
		if (len)
			out->items[out->nr++] = (struct word){ text, len, line };
		line += text[len] == '\n';
		text += len + (text[len] != 0);
	}
}

static bool is_word(const struct word *word, const char *text)
{
	return strlen(text) == word->len && strncmp(word->text, text, word->len) == 0;
}

static bool matches(const struct word *word, const char *pattern, size_t len)
{
	bool is_open = pattern[len - 1] == '*';
	if (is_open)
		len--;
	return word->len >= len && (is_open || word->len == len) &&
	       strncasecmp(word->text, pattern, len) == 0;
}

static bool matches_all(const struct words *words, size_t at, const char *pattern)
{
	while (*pattern) {
		size_t len = strcspn(pattern, " ");
		if (at == words->nr || !matches(&words->items[at++], pattern, len))
			return false;
		pattern += len;
		pattern += strspn(pattern, " ");
	}
	return true;
}

static bool is_own_word(const struct task *t, const struct word *word)
{
	if (is_word(word, t->entry) || is_word(word, t->name))
		return true;
	for (size_t i = 0; i < t->nr_args; i++)
		if (is_word(word, t->args[i].name))
			return true;
	for (size_t i = 0; i < t->shapes.items[0].dims.nr; i++)
		if (is_word(word, t->shapes.items[0].dims.items[i].name))
			return true;
	return false;
}

static void check_how(const struct lint *l, const char *path, const struct words *words, size_t at)
{
	const struct word *word = &words->items[at];
	const struct how_row *row = NULL;
	for (size_t i = 0; i < ARRAY_LEN(how_rows) && !row; i++)
		if (matches_all(words, at, how_rows[i].words))
			row = &how_rows[i];
	if (!row)
		return;
	AUTO_FREE char *text =
		xasprintf("\"%.*s\" (as in \"%s\") says how; a description says what "
			  "the result is, not how to get it",
			  (int)word->len, word->text, row->words);
	if (row->is_error)
		LINT_ERROR(l, path, word->line, "%s", text);
	else
		LINT_WARNING(l, path, word->line, "%s", text);
}

/* A line of code that computes is advice, too. Prototypes have none of these. */
static void check_code(const struct lint *l, const char *path, const char *text)
{
	static const char *const marks[] = { "for (",  "for(",    "while (",
					     "while(", "#pragma", "#include" };
	unsigned line = 1;
	for (const char *at = text; *at; line++) {
		size_t len = strcspn(at, "\n");
		AUTO_FREE char *one = xstrndup(at, len);
		for (size_t i = 0; i < ARRAY_LEN(marks); i++)
			if (strstr(one, marks[i]))
				LINT_ERROR(l, path, line, "\"%s\" is code; write a formula instead",
					   marks[i]);
		at += len + (at[len] != 0);
	}
}

static void check_args(const struct lint *l, const char *path, const struct words *words)
{
	for (size_t i = 0; i < l->task->nr_args; i++) {
		bool is_there = false;
		for (size_t w = 0; w < words->nr && !is_there; w++)
			is_there = is_word(&words->items[w], l->task->args[i].name);
		if (!is_there)
			LINT_ERROR(l, path, 1,
				   "the argument %s is missing; say what it is, its layout and its "
				   "legal values",
				   l->task->args[i].name);
	}
}

static bool is_utf8(const char *text, size_t len)
{
	AUTO_JSON json_t *json = json_stringn(text, len);
	return json != NULL;
}

static void check_encoding(const struct lint *l, const char *path, const char *text)
{
	unsigned line = 1;
	for (const char *at = text; *at; line++) {
		size_t len = strcspn(at, "\n");
		if (!is_utf8(at, len)) {
			LINT_ERROR(l, path, line, "not UTF-8; save the description as UTF-8");
			return;
		}
		at += len + (at[len] != 0);
	}
}

static void check_text(const struct lint *l, const char *path, const char *text)
{
	AUTO_ARENA struct arena arena = { 0 };
	struct words words = { 0 };
	split_words(&arena, text, &words);
	if (words.nr == 0) {
		LINT_ERROR(l, path, 1, "the description is empty; say what the operator computes");
		return;
	}
	check_encoding(l, path, text);
	check_args(l, path, &words);
	check_code(l, path, text);
	for (size_t i = 0; i < words.nr; i++)
		if (!is_own_word(l->task, &words.items[i]))
			check_how(l, path, &words, i);
}

void lint_description(const struct lint *l)
{
	struct err e = { 0 };
	AUTO_STR struct str text = STR_INIT;
	AUTO_FREE char *path = path_join(l->task->dir, "description.md");
	if (!file_exists(path))
		LINT_ERROR(l, path, 1,
			   "there is no description.md; write what the operator "
			   "computes: formula, layouts, legal inputs, rounding");
	else if (file_read(path, MAX_BYTES, &text, &e) < 0)
		LINT_ERROR(l, path, 1, "%s", e.text);
	else
		check_text(l, path, text.text);
}
