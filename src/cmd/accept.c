#include "cmd/accept.h"

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "sys/sandbox.h"

static void list_names(struct strv *names)
{
	for (int m = 0; m < SANDBOX_NR_MECHANISMS; m++) {
		AUTO_FREE char *name =
			sandbox_lack_name(sandbox_mechanism_name((enum sandbox_mechanism)m));
		strv_add(names, name);
	}
	strv_add(names, "no-agent-sandbox");
}

int accept_check(const char *list, struct err *e)
{
	AUTO_STRV struct strv known = { 0 };
	AUTO_STRV struct strv given = { 0 };
	AUTO_STR struct str all = STR_INIT;
	list_names(&known);
	strv_split(&given, list ? list : "", ",");
	for (size_t i = 0; i < known.nr; i++)
		str_addf(&all, "%s%s", i ? ", " : "", known.items[i]);
	for (size_t i = 0; list && i < given.nr; i++)
		if (!strv_has(&known, given.items[i]))
			return err_set(e, ERR_USAGE, "--accept: '%s' is no lack; there are %s",
				       given.items[i], all.text);
	return 0;
}
