#include "tuner/row.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "tuner/kernel.h"

static const struct row_kind kinds[] = {
#define ROW_KIND(name, keys, text) { #name, keys, text, row_##name },
#include "tuner/row_kinds.def"
#undef ROW_KIND
};

static const struct row_kind *find_kind(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (strcmp(kinds[i].name, name) == 0)
			return &kinds[i];
	return NULL;
}

const char *row_get(const struct row *row, const char *key)
{
	for (size_t i = 0; i < row->nr_params; i++)
		if (strcmp(row->params[i].key, key) == 0)
			return row->params[i].value;
	return NULL;
}

static int parse_param(struct row *row, const char *word, struct arena *a, struct err *e)
{
	const char *equals = strchr(word, '=');
	if (!equals || equals == word || !equals[1])
		return err_set(e, ERR_INPUT, "\"%s\" is no key=value", word);
	const char *key = arena_strndup(a, word, (size_t)(equals - word));
	if (row_get(row, key))
		return err_set(e, ERR_INPUT, "%s is given twice", key);
	if (row->nr_params == ROW_KEYS)
		return err_set(e, ERR_INPUT, "too many keys");
	row->params[row->nr_params++] = (struct row_param){ key, arena_strdup(a, equals + 1) };
	return 0;
}

/* Every key given is known and every needed one is given. */
static int check_keys(const struct row *row, struct err *e)
{
	AUTO_STRV struct strv keys = { 0 };
	size_t nr_known = 0;
	strv_split(&keys, row->kind->keys, " ");
	for (size_t i = 0; i < keys.nr; i++) {
		char *key = keys.items[i];
		bool is_needed = str_ends(key, "!");
		key[strlen(key) - is_needed] = 0;
		bool is_given = row_get(row, key) != NULL;
		if (is_needed && !is_given)
			return err_set(e, ERR_INPUT, "%s needs %s=", row->kind->name, key);
		nr_known += is_given;
	}
	if (nr_known < row->nr_params)
		return err_set(e, ERR_INPUT, "%s knows only these keys: %s", row->kind->name,
			       row->kind->keys);
	return 0;
}

int row_parse(struct row *row, const char *text, struct arena *a, struct err *e)
{
	AUTO_STRV struct strv words = { 0 };
	strv_split(&words, text, " \t");
	AUTO_FREE char *tidy = strv_join(&words, " ");
	*row = (struct row){ .text = arena_strdup(a, tidy) };
	if (!words.nr)
		return err_set(e, ERR_INPUT, "the value is empty");
	row->kind = find_kind(words.items[0]);
	if (!row->kind)
		return err_set(e, ERR_INPUT, "\"%s\" is no kind of row", words.items[0]);
	for (size_t i = 1; i < words.nr; i++)
		if (parse_param(row, words.items[i], a, e) < 0)
			return -1;
	return check_keys(row, e);
}

int row_get_number(const struct row *row, const char *key, long least, long most, long *out,
		   struct err *e)
{
	const char *text = row_get(row, key);
	char *end;
	*out = text ? strtol(text, &end, 10) : 0;
	if (!text || *end || *out < least || *out > most)
		return err_set(e, ERR_INPUT, "%s must be a number from %ld to %ld", key, least,
			       most);
	return 0;
}

static bool same_value(const struct row *a, const struct row *b, const char *key)
{
	const char *left = row_get(a, key);
	const char *right = row_get(b, key);
	return left == right || str_equal(left, right);
}

bool row_supersedes(const struct row *later, const struct row *earlier)
{
	return later->kind == earlier->kind && same_value(later, earlier, "loop") &&
	       same_value(later, earlier, "array") && same_value(later, earlier, "as");
}

bool row_drops(const struct row *drop, const struct row *earlier)
{
	const char *kind = strcmp(drop->kind->name, "drop") == 0 ? row_get(drop, "row") : NULL;
	return kind && strcmp(kind, earlier->kind->name) == 0 &&
	       same_value(drop, earlier, "loop") && same_value(drop, earlier, "array") &&
	       same_value(drop, earlier, "as");
}
