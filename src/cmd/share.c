#include "cmd/share.h"

/* build/bin and build/FLAVOUR/bin lie two and three folders below the source tree; an installed
 * program lies beside share/forge. The first place that has the file wins. */

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"

char *share_path(const char *name, struct err *e)
{
	static const char *const places[] = { "../share/forge", "../../share", "../../../share" };
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

char *sibling_path(const char *program)
{
	AUTO_FREE char *bin = path_of_program();
	return path_join(bin, program);
}
