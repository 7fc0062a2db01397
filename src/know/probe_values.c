#include "know/probe_values.h"

/* Strict, since a probe that prints something else does not measure what its lesson says. */

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "know/lesson.h"

static bool is_name(const char *text)
{
	return islower((unsigned char)text[0]) && strlen(text) < PROBE_MAX_NAME &&
	       strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_") == strlen(text);
}

/* Decimal: strtod also knows hexadecimal numbers, infinity and NaN. */
static bool read_number(const char *text, double *out)
{
	char *end;
	if (!*text || strspn(text, "+-.0123456789eE") != strlen(text))
		return false;
	*out = strtod(text, &end);
	return !*end && isfinite(*out);
}

static int read_line(struct probe_values *v, const char *line, size_t number, struct err *e)
{
	AUTO_STRV struct strv words = { 0 };
	strv_split(&words, line, " ");
	struct probe_value one = { .value = 0 };
	if (words.nr != 3)
		return err_set(e, ERR_INPUT,
			       "line %zu of its output is \"%.60s\"; it must be NAME VALUE UNIT",
			       number, line);
	const char *name = words.items[0];
	const char *unit = words.items[2];
	if (!is_name(name))
		return err_set(e, ERR_INPUT,
			       "line %zu of its output: \"%.60s\" is no name: lower-case letters, "
			       "digits and _, at most %d",
			       number, name, PROBE_MAX_NAME - 1);
	if (!read_number(words.items[1], &one.value))
		return err_set(e, ERR_INPUT,
			       "line %zu of its output: %s is \"%.60s\", no finite number", number,
			       name, words.items[1]);
	if (!lesson_is_unit(unit, strlen(unit), false))
		return err_set(
			e, ERR_INPUT,
			"line %zu of its output: \"%.30s\" is no unit (docs/format/lesson.md "
			"lists them)",
			number, unit);
	if (probe_values_find(v, name))
		return err_set(e, ERR_INPUT, "line %zu of its output: %s comes twice", number,
			       name);
	if (v->nr == PROBE_MAX_VALUES)
		return err_set(e, ERR_INPUT, "it prints more than %d values", PROBE_MAX_VALUES);
	memcpy(one.name, name, strlen(name) + 1);
	memcpy(one.unit, unit, strlen(unit) + 1);
	v->items[v->nr++] = one;
	return 0;
}

int probe_values_parse(struct probe_values *v, const char *output, struct err *e)
{
	AUTO_STRV struct strv lines = { 0 };
	v->nr = 0;
	strv_split(&lines, output, "\n");
	for (size_t i = 0; i < lines.nr; i++)
		if (read_line(v, lines.items[i], i + 1, e) < 0)
			return -1;
	if (!v->nr)
		return err_set(e, ERR_INPUT, "it printed nothing; print NAME VALUE UNIT");
	return 0;
}

const struct probe_value *probe_values_find(const struct probe_values *v, const char *name)
{
	for (size_t i = 0; i < v->nr; i++)
		if (str_equal(v->items[i].name, name))
			return &v->items[i];
	return NULL;
}
