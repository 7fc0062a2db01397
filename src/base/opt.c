#include "base/opt.h"

/* One pass over argv with a table. The nearest-name search is the optimal string alignment distance
 * (a swap of neighbours counts once), because "stauts" is the typo people make. */

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"

enum { HELP_COLUMN = 28, MAX_WORD = 63 };

static bool is_all_digits(const char *text)
{
	return *text && strspn(text, "0123456789") == strlen(text);
}

int opt_count(const char *text, const char *what, int64_t *out, struct err *e)
{
	errno = 0;
	long long value = strtoll(text, NULL, 10);
	if (!is_all_digits(text) || errno)
		return err_set(e, ERR_USAGE, "%s wants a whole number, not '%s'", what, text);
	*out = value;
	return 0;
}

int opt_real(const char *text, const char *what, double *out, struct err *e)
{
	char *end = NULL;
	errno = 0;
	double value = strtod(text, &end);
	if (end == text || *end || errno || !isfinite(value) || value <= 0)
		return err_set(e, ERR_USAGE, "%s wants a number above 0, not '%s'", what, text);
	*out = value;
	return 0;
}

static int store(const struct opt *o, const char *shown, const char *value, struct err *e)
{
	switch (o->type) {
	case OPT_FLAG:
		*(bool *)o->slot = true;
		return 0;
	case OPT_TEXT:
		*(const char **)o->slot = value;
		return 0;
	case OPT_COUNT:
		return opt_count(value, shown, o->slot, e);
	case OPT_REAL:
		return opt_real(value, shown, o->slot, e);
	}
	BUG("option %s has no type", shown);
}

static const struct opt *find_long(const struct opt_table *t, const char *name, size_t len)
{
	for (size_t i = 0; i < t->nr; i++) {
		const char *have = t->items[i].name;
		if (have && strlen(have) == len && memcmp(have, name, len) == 0)
			return &t->items[i];
	}
	return NULL;
}

static const struct opt *find_short(const struct opt_table *t, char letter)
{
	for (size_t i = 0; i < t->nr; i++)
		if (t->items[i].letter == letter)
			return &t->items[i];
	return NULL;
}

static int unknown_long(const struct opt_table *t, const char *name, struct err *e)
{
	AUTO_FREE const char **names = xcalloc(t->nr + 1, sizeof(*names));
	size_t nr = 0;
	for (size_t i = 0; i < t->nr; i++)
		if (t->items[i].name)
			names[nr++] = t->items[i].name;
	AUTO_FREE char *bare = xstrndup(name, strcspn(name, "="));
	const char *near = opt_nearest(bare, names, nr);
	if (near)
		return err_set(e, ERR_USAGE, "unknown option --%s; did you mean --%s?", bare, near);
	return err_set(e, ERR_USAGE, "unknown option --%s", bare);
}

/* `at` points at "--name" or "--name=value"; moves on by one when the value is the next word. */
static int parse_long(const struct opt_table *t, const char *const **at, struct err *e)
{
	const char *name = **at + 2;
	size_t len = strcspn(name, "=");
	const struct opt *o = find_long(t, name, len);
	if (!o)
		return unknown_long(t, name, e);
	AUTO_FREE char *shown = xasprintf("--%.*s", (int)len, name);
	if (o->type == OPT_FLAG && name[len])
		return err_set(e, ERR_USAGE, "%s takes no value", shown);
	if (o->type == OPT_FLAG)
		return store(o, shown, NULL, e);
	if (name[len])
		return store(o, shown, name + len + 1, e);
	if (!(*at)[1])
		return err_set(e, ERR_USAGE, "%s wants a value (%s)", shown, o->value_name);
	return store(o, shown, *++*at, e);
}

/* One letter of a "-abc" cluster. A letter with a value takes the rest of the word or the next. */
static int parse_letter(const struct opt_table *t, const char *const **at, const char **letter,
			struct err *e)
{
	const struct opt *o = find_short(t, **letter);
	char shown[3] = { '-', **letter, 0 };
	if (!o)
		return err_set(e, ERR_USAGE, "unknown option %s", shown);
	const char *value = ++*letter;
	if (o->type == OPT_FLAG)
		return store(o, shown, NULL, e);
	if (!*value)
		value = *++*at;
	if (!value)
		return err_set(e, ERR_USAGE, "%s wants a value (%s)", shown, o->value_name);
	*letter = "";
	return store(o, shown, value, e);
}

static int parse_cluster(const struct opt_table *t, const char *const **at, struct err *e)
{
	const char *letter = **at + 1;
	while (*letter)
		if (parse_letter(t, at, &letter, e) < 0)
			return -1;
	return 0;
}

static void add_all(struct strv *rest, const char *const *at)
{
	for (; *at; at++)
		strv_add(rest, *at);
}

int opt_parse(const struct opt_table *t, const char *const *argv, bool stop_at_operand,
	      struct strv *rest, struct err *e)
{
	for (const char *const *at = argv + 1; *at; at++) {
		const char *word = *at;
		bool is_operand = word[0] != '-' || !word[1];
		if (str_equal(word, "--") || (is_operand && stop_at_operand)) {
			add_all(rest, is_operand ? at : at + 1);
			return 0;
		}
		int code = 0;
		if (is_operand)
			strv_add(rest, word);
		else if (word[1] == '-')
			code = parse_long(t, &at, e);
		else
			code = parse_cluster(t, &at, e);
		if (code < 0)
			return -1;
	}
	return 0;
}

static void print_names(const struct opt *o, struct str *out)
{
	str_add(out, "  ");
	if (o->letter)
		str_addf(out, "-%c", o->letter);
	if (o->name)
		str_addf(out, "%s--%s", o->letter ? ", " : "", o->name);
	if (o->value_name)
		str_addf(out, " %s", o->value_name);
}

void opt_print(const struct opt_table *t, struct str *out)
{
	for (size_t i = 0; i < t->nr; i++) {
		AUTO_STR struct str names = STR_INIT;
		print_names(&t->items[i], &names);
		str_addf(out, "%-*s%s%s\n", HELP_COLUMN, names.text,
			 names.len >= HELP_COLUMN ? " " : "", t->items[i].text);
	}
}

static size_t min3(size_t a, size_t b, size_t c)
{
	size_t m = a < b ? a : b;
	return m < c ? m : c;
}

/* One cell of the distance table; rows hold the two lines above and this one. */
static size_t cell(const char *a, const char *b, size_t i, size_t j, size_t rows[3][MAX_WORD + 1])
{
	size_t cost = a[i - 1] == b[j - 1] ? 0 : 1;
	size_t best = min3(rows[1][j] + 1, rows[2][j - 1] + 1, rows[1][j - 1] + cost);
	bool is_swap = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
	if (is_swap && rows[0][j - 2] + 1 < best)
		best = rows[0][j - 2] + 1;
	return best;
}

static size_t distance(const char *a, const char *b)
{
	size_t rows[3][MAX_WORD + 1] = { 0 };
	size_t len = strlen(b);
	for (size_t j = 0; j <= len; j++)
		rows[2][j] = j;
	for (size_t i = 1; i <= strlen(a); i++) {
		memcpy(rows[0], rows[1], sizeof(rows[0]));
		memcpy(rows[1], rows[2], sizeof(rows[0]));
		rows[2][0] = i;
		for (size_t j = 1; j <= len; j++)
			rows[2][j] = cell(a, b, i, j, rows);
	}
	return rows[2][len];
}

const char *opt_nearest(const char *word, const char *const *candidates, size_t nr)
{
	const char *best = NULL;
	size_t best_distance = strlen(word) / 2 + 1; /* half the letters wrong is another word */
	for (size_t i = 0; i < nr && strlen(word) <= MAX_WORD; i++) {
		if (strlen(candidates[i]) > MAX_WORD)
			continue;
		bool is_prefix = *word && str_starts(candidates[i], word);
		size_t d = is_prefix ? 0 : distance(word, candidates[i]);
		if (d < best_distance) {
			best = candidates[i];
			best_distance = d;
		}
	}
	return best;
}
