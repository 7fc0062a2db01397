#include "base/local_env.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"

enum { MAX_ENV_BYTES = 1 << 20 };

/* "export NAME=value", with or without quotes around the value; NULL: another line. */
static char *value_in(const char *line, const char *name)
{
	size_t len = strlen(name);
	line += strspn(line, " \t");
	if (str_starts(line, "export "))
		line += strlen("export ");
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

static char *find_in(const char *text, const char *name)
{
	AUTO_STRV struct strv lines = { 0 };
	strv_split(&lines, text, "\n");
	for (size_t i = 0; i < lines.nr; i++) {
		char *value = value_in(lines.items[i], name);
		if (value && value[0])
			return value;
		free(value);
	}
	return NULL;
}

int local_env_find(const char *name, char **out, struct err *e)
{
	AUTO_STR struct str text = STR_INIT;
	const char *given = getenv(name);
	*out = NULL;
	if (given && given[0]) {
		*out = xstrdup(given);
		return 0;
	}
	if (file_exists(LOCAL_ENV_NAME) && file_read(LOCAL_ENV_NAME, MAX_ENV_BYTES, &text, e) < 0)
		return -1;
	*out = find_in(text.text, name);
	return 0;
}
