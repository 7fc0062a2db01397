#include "base/share.h"

/* build/bin, build/FLAVOUR/bin and build/FLAVOUR/unit/LAYER lie two to four folders below the
 * source tree; an installed program lies beside share/forge. The first place that has the file
 * wins. A folder that the user names is the only place: a slip in it shall not fall back on texts
 * that the user did not write. */

#include <stdlib.h>

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"

static char *named_path(const char *dir, const char *name, struct err *e)
{
	char *path = path_join(dir, name);
	if (file_exists(path))
		return path;
	free(path);
	err_set(e, ERR_INPUT,
		"FORGE_SHARE=%s: there is no %s; copy the share folder of forge there whole", dir,
		name);
	return NULL;
}

char *share_path(const char *name, struct err *e)
{
	static const char *const places[] = { "../share/forge", "../../share", "../../../share",
					      "../../../../share" };
	const char *named = getenv("FORGE_SHARE");
	if (named && *named)
		return named_path(named, name, e);
	AUTO_FREE char *bin = path_of_program();
	for (size_t i = 0; i < ARRAY_LEN(places); i++) {
		char *path = xasprintf("%s/%s/%s", bin, places[i], name);
		if (file_exists(path))
			return path;
		free(path);
	}
	err_set(e, ERR_SYSTEM, "find share/%s around %s: the installation is incomplete", name,
		bin);
	return NULL;
}

char *share_own_path(const char *variable, const char *name)
{
	const char *named = getenv(variable);
	const char *config = getenv("XDG_CONFIG_HOME");
	const char *home = getenv("HOME");
	AUTO_FREE char *path = NULL;
	if (named && *named)
		return xstrdup(named);
	if (config && config[0] == '/')
		path = xasprintf("%s/forge/%s", config, name);
	else if (home && home[0] == '/')
		path = xasprintf("%s/.config/forge/%s", home, name);
	return path && file_exists(path) ? take_ptr(&path) : NULL;
}

char *sibling_path(const char *program)
{
	AUTO_FREE char *bin = path_of_program();
	return path_join(bin, program);
}
