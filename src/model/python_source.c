#include "model/python_source.h"

/* A parameter is what stands in front of the first ':' or '=' between two commas of the outermost
 * parentheses; comments and strings hold no commas of ours. */

#include <ctype.h>
#include <string.h>

#include "base/mem.h"

static bool is_name_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Behind a comment, a string or one character. */
static const char *skip(const char *at)
{
	if (*at == '#')
		return at + strcspn(at, "\n");
	if (*at != '"' && *at != '\'')
		return at + 1;
	const char quote = *at++;
	while (*at && *at != quote && *at != '\n')
		at += *at == '\\' && at[1] ? 2 : 1;
	return *at ? at + 1 : at;
}

/* The name of a parameter; blanks and comments in front of it go, "*" and "/" are names too. */
static const char *take_name(struct strv *names, const char *at)
{
	while (isspace((unsigned char)*at) || *at == '#')
		at = skip(at);
	const char *start = at;
	while (*at == '*' || *at == '/' || is_name_char(*at))
		at++;
	if (at > start) {
		AUTO_FREE char *name = xstrndup(start, (size_t)(at - start));
		strv_add(names, name);
	}
	return at;
}

/* `at` is behind the opening parenthesis. */
static bool take_parameters(struct strv *names, const char *at)
{
	unsigned depth = 1;
	at = take_name(names, at);
	while (*at && depth) {
		const char c = *at;
		depth += c == '(' || c == '[' || c == '{';
		depth -= c == ')' || c == ']' || c == '}';
		at = skip(at);
		if (c == ',' && depth == 1)
			at = take_name(names, at);
	}
	return depth == 0;
}

/* Behind the parenthesis of "def NAME(" at the start of a line, or NULL. */
static const char *definition(const char *line, const char *name)
{
	if (!str_starts(line, "def "))
		return NULL;
	line += strlen("def ");
	line += strspn(line, " ");
	if (!str_starts(line, name) || is_name_char(line[strlen(name)]))
		return NULL;
	line += strlen(name);
	line += strspn(line, " ");
	return *line == '(' ? line + 1 : NULL;
}

bool pyfunction_find(struct pyfunction *f, const char *text, const char *name)
{
	bool is_found = false;
	*f = (struct pyfunction){ .line = 0 };
	for (unsigned line = 1; *text; line++) {
		const char *parameters = definition(text, name);
		if (parameters) {
			pyfunction_release(f);
			f->line = line;
			is_found = take_parameters(&f->names, parameters);
		}
		text += strcspn(text, "\n");
		text += *text == '\n';
	}
	return is_found;
}

void pyfunction_release(struct pyfunction *f)
{
	strv_release(&f->names);
	*f = (struct pyfunction){ .line = 0 };
}

/* Behind a string in triple quotes that begins here; NULL: none does. */
static const char *skip_long_string(const char *at)
{
	static const char *const quotes[] = { "\"\"\"", "'''" };
	for (size_t i = 0; i < ARRAY_LEN(quotes); i++) {
		if (!str_starts(at, quotes[i]))
			continue;
		for (at += 3; *at && !str_starts(at, quotes[i]); at++)
			at += *at == '\\' && at[1] ? 1 : 0;
		return *at ? at + 3 : at;
	}
	return NULL;
}

/* One that stands alone documents; another may be the source of a kernel. */
static bool begins_its_line(const char *text, const char *at)
{
	while (at > text && (at[-1] == ' ' || at[-1] == '\t'))
		at--;
	return at == text || at[-1] == '\n';
}

static void blank(char *at, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (at[i] != '\n')
			at[i] = ' ';
}

char *python_without_prose(const char *text)
{
	char *out = xstrdup(text);
	for (char *at = out; *at;) {
		const char *behind = skip_long_string(at);
		const char *end = behind ? behind : skip(at);
		if ((behind && begins_its_line(out, at)) || *at == '#')
			blank(at, (size_t)(end - at));
		at += end - at;
	}
	return out;
}
