#include "base/local_env.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"

enum { MAX_ENV_BYTES = 1 << 20 };

/* Behind "export". */
static const char *name_in(const char *line)
{
	line += strspn(line, " \t");
	return str_starts(line, "export ") ? line + strlen("export ") : line;
}

/* "export NAME=value", with or without quotes around the value; NULL: another line. */
static char *value_in(const char *line, const char *name)
{
	size_t len = strlen(name);
	line = name_in(line);
	if (strncmp(line, name, len) != 0 || line[len] != '=')
		return NULL;
	const char *value = line + len + 1;
	size_t value_len = strlen(value);
	while (value_len && strchr(" \t\r", value[value_len - 1]))
		value_len--;
	bool is_quoted =
		value_len >= 2 && strchr("\"'", value[0]) && value[value_len - 1] == value[0];
	return is_quoted ? xstrndup(value + 1, value_len - 2) : xstrndup(value, value_len);
}

static char *find_in(const struct strv *lines, const char *name)
{
	for (size_t i = 0; i < lines->nr; i++) {
		char *value = value_in(lines->items[i], name);
		if (value && value[0])
			return value;
		free(value);
	}
	return NULL;
}

static int read_lines(struct strv *lines, struct err *e)
{
	AUTO_STR struct str text = STR_INIT;
	if (file_exists(LOCAL_ENV_NAME) && file_read(LOCAL_ENV_NAME, MAX_ENV_BYTES, &text, e) < 0)
		return -1;
	strv_split(lines, text.text, "\n");
	return 0;
}

int local_env_names(struct strv *names, struct err *e)
{
	AUTO_STRV struct strv lines = { 0 };
	if (read_lines(&lines, e) < 0)
		return -1;
	for (size_t i = 0; i < lines.nr; i++) {
		const char *name = name_in(lines.items[i]);
		const size_t len = strcspn(name, "=");
		AUTO_FREE char *own = xstrndup(name, name[len] ? len : 0);
		strv_add(names, own);
	}
	return 0;
}

int local_env_find(const char *name, char **out, struct err *e)
{
	AUTO_STRV struct strv lines = { 0 };
	const char *given = getenv(name);
	*out = NULL;
	if (given && given[0]) {
		*out = xstrdup(given);
		return 0;
	}
	if (read_lines(&lines, e) < 0)
		return -1;
	*out = find_in(&lines, name);
	return 0;
}
