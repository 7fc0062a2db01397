#include "model/shape_line.h"

/* Walks valid JSON text along the pointer, one container at a time, skipping the values before the
 * wanted one. Skipping counts brackets outside strings, so there is no recursion. */

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"

enum { MAX_BYTES = 16 * 1024 * 1024 };

static const char *skip_space(const char *at)
{
	while (*at && strchr(" \t\r\n,:", *at))
		at++;
	return at;
}

/* From an opening quote to behind the closing one. */
static const char *skip_string(const char *at)
{
	for (at++; *at && *at != '"'; at++)
		if (*at == '\\' && at[1])
			at++;
	return *at ? at + 1 : at;
}

static const char *skip_value(const char *at)
{
	long depth = 0;
	do {
		if (*at == '"') {
			at = skip_string(at);
			continue;
		}
		if (*at == '{' || *at == '[')
			depth++;
		if (*at == '}' || *at == ']')
			depth--;
		if (*at)
			at++;
	} while (*at && (depth > 0 || !strchr(" \t\r\n,:]}", *at)));
	return at;
}

/* The value of member `key` of the object at `at`; *key_at is its key. NULL when absent. */
static const char *find_member(const char *at, const char *key, size_t len, const char **key_at)
{
	at = skip_space(at + 1);
	while (*at == '"') {
		const char *end = skip_string(at);
		bool is_it = (size_t)(end - at) == len + 2 && memcmp(at + 1, key, len) == 0;
		*key_at = at;
		at = skip_space(end);
		if (is_it)
			return at;
		at = skip_space(skip_value(at));
	}
	return NULL;
}

static const char *find_item(const char *at, size_t index)
{
	at = skip_space(at + 1);
	for (size_t i = 0; i < index && *at && *at != ']'; i++)
		at = skip_space(skip_value(at));
	return *at && *at != ']' ? at : NULL;
}

static unsigned line_of(const char *text, const char *at)
{
	unsigned line = 1;
	for (; text < at; text++)
		line += *text == '\n';
	return line;
}

unsigned shape_line_in_text(const char *text, const char *pointer)
{
	const char *value = skip_space(text);
	const char *best = value;
	while (*pointer == '/') {
		const char *key = pointer + 1;
		size_t len = strcspn(key, "/");
		const char *key_at = NULL;
		const char *next = NULL;
		if (*value == '{')
			next = find_member(value, key, len, &key_at);
		else if (*value == '[' && isdigit((unsigned char)*key))
			next = find_item(value, strtoul(key, NULL, 10));
		if (!next)
			break;
		value = next;
		best = key_at ? key_at : next;
		pointer = key + len;
	}
	return line_of(text, best);
}

unsigned shape_line(const char *path, const char *pointer)
{
	struct err ignored = { 0 };
	AUTO_STR struct str text = STR_INIT;
	if (file_read(path, MAX_BYTES, &text, &ignored) < 0)
		return 1;
	return shape_line_in_text(text.text, pointer);
}
