#include "cmd/price_table.h"

#include <stdlib.h>

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/share.h"
#include "model/prices.h"

/* NULL: the user has no table. A file that was named must be there, another need not. */
static char *own_path(void)
{
	const char *named = getenv("FORGE_PRICES");
	const char *config = getenv("XDG_CONFIG_HOME");
	const char *home = getenv("HOME");
	char *path = NULL;
	if (named && *named)
		return xstrdup(named);
	if (config && config[0] == '/')
		path = xasprintf("%s/forge/prices.tsv", config);
	else if (home && home[0] == '/')
		path = xasprintf("%s/.config/forge/prices.tsv", home);
	if (path && file_exists(path))
		return path;
	free(path);
	return NULL;
}

int price_table_load(struct prices *p, struct err *e)
{
	AUTO_FREE char *shipped = share_path("prices.tsv", e);
	AUTO_FREE char *own = own_path();
	if (!shipped || prices_load(p, shipped, false, e) < 0)
		return -1;
	if (own && prices_load(p, own, true, e) < 0)
		return err_wrap(e, "own prices");
	return 0;
}
