#include "agent/key.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/err.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"

enum { MAX_ENV_BYTES = 1 << 20 };

static const char local_env[] = "local.env";

static void warn_if_open(void)
{
	struct stat st;
	if (stat(local_env, &st) == 0 && (st.st_mode & 077))
		log_warn("%s can be read by others: chmod 600 %s", local_env, local_env);
}

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

/* 0, with NULL where it is not there. */
static int look_up(const char *name, char **out, struct err *e)
{
	AUTO_STR struct str text = STR_INIT;
	const char *given = getenv(name);
	*out = given && given[0] ? xstrdup(given) : NULL;
	if (*out || !file_exists(local_env))
		return 0;
	if (file_read(local_env, MAX_ENV_BYTES, &text, e) < 0)
		return -1;
	*out = find_in(text.text, name);
	return 0;
}

char *key_peek(const char *name)
{
	struct err ignored = { 0 };
	char *value;
	look_up(name, &value, &ignored);
	return value;
}

char *key_find(const char *name, struct err *e)
{
	const char *given = getenv(name);
	char *key;
	if (!given || !given[0])
		warn_if_open();
	if (look_up(name, &key, e) < 0)
		return NULL;
	if (!key)
		err_set(e, ERR_INPUT,
			"there is no key: set %s in the environment, or write the line %s=... into "
			"%s in the current directory",
			name, name, local_env);
	return key;
}
