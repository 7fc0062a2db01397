#include "agent/key.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/err.h"
#include "base/local_env.h"
#include "base/log.h"

static void warn_if_open(const char *name)
{
	struct stat st;
	const char *given = getenv(name);
	bool is_asked = !given || !given[0];
	if (is_asked && stat(LOCAL_ENV_NAME, &st) == 0 && (st.st_mode & 077))
		log_warn("%s can be read by others: chmod 600 %s", LOCAL_ENV_NAME, LOCAL_ENV_NAME);
}

char *key_peek(const char *name)
{
	struct err ignored = { 0 };
	char *value = NULL;
	local_env_find(name, &value, &ignored);
	return value;
}

char *key_find(const char *name, struct err *e)
{
	char *key = NULL;
	warn_if_open(name);
	if (local_env_find(name, &key, e) < 0)
		return NULL;
	if (!key)
		err_set(e, ERR_INPUT,
			"there is no key: set %s in the environment, or write the line %s=... into "
			"%s in the current directory",
			name, name, LOCAL_ENV_NAME);
	return key;
}
