#include "build/ncu_tool.h"

/* Complaints stand in lines that begin "==ERROR==", in the log or on stderr; they are matched by
 * the words that have not changed in years, and an unknown one is passed on. */

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "build/cuda_toolkit.h"
#include "model/ncu.h"
#include "sys/proc.h"

#define VERSION_NS (20 * NS_PER_S)
#define PACKAGES "/opt/nvidia/nsight-compute"

static const struct {
	const char *name;
	const char *said;
	const char *text;
} troubles[] = {
#define NCU_TROUBLE(name, said, text) { #name, said, text },
#include "build/ncu_troubles.def"
#undef NCU_TROUBLE
};

static char *from_toolkit(void)
{
	struct err ignored = { 0 };
	AUTO_FREE char *root = cuda_toolkit_find(&ignored);
	return root ? cuda_toolkit_tool(root, "ncu") : NULL;
}

/* Folders are named by versions, so the last of the list is the newest. */
static char *from_packages(void)
{
	struct err ignored = { 0 };
	AUTO_STRV struct strv names = { 0 };
	if (dir_list(PACKAGES, &names, &ignored) < 0)
		return NULL;
	for (size_t i = names.nr; i-- > 0;) {
		AUTO_FREE char *path = xasprintf(PACKAGES "/%s/ncu", names.items[i]);
		if (access(path, X_OK) == 0)
			return take_ptr(&path);
	}
	return NULL;
}

char *ncu_tool_find(struct err *e)
{
	const char *own = getenv("FORGE_NCU");
	if (own && *own && access(own, X_OK) == 0)
		return xstrdup(own);
	if (own && *own) {
		err_set(e, ERR_SYSTEM, "FORGE_NCU=%s is no program; correct or unset it", own);
		return NULL;
	}
	char *path = proc_find("ncu");
	path = path ? path : from_toolkit();
	path = path ? path : from_packages();
	if (!path)
		err_set(e, ERR_SYSTEM,
			"no ncu on this machine; install Nsight Compute, or set FORGE_NCU to it");
	return path;
}

int ncu_tool_version(const char *path, struct str *out, struct err *e)
{
	const char *const argv[] = { path, "--version", NULL };
	const struct proc_spec spec = { .argv = argv, .deadline_ns = VERSION_NS };
	AUTO_PROC_RESULT struct proc_result r = { 0 };
	if (proc_run(&r, &spec, e) < 0)
		return -1;
	if (!proc_result_is_ok(&r)) {
		AUTO_STR struct str how = STR_INIT;
		proc_result_describe(&r, &how);
		return err_set(e, ERR_CHILD, "%s --version: %s", path, how.text);
	}
	const char *at = strstr(r.out.text, "Version ");
	if (at)
		str_add_len(out, at + strlen("Version "), strcspn(at + strlen("Version "), " \n"));
	return ncu_check_version(r.out.text, e);
}

void ncu_tool_command(const struct ncu_call *c, struct strv *argv)
{
	AUTO_STR struct str metrics = STR_INIT;
	ncu_metric_list(&metrics);
	strv_add(argv, c->path);
	strv_add(argv, "--csv");
	strv_add(argv, "--log-file");
	strv_add(argv, c->log);
	strv_add(argv, "--force-overwrite");
	strv_add(argv, "--clock-control");
	strv_add(argv, "none");
	strv_add(argv, "--cache-control");
	strv_add(argv, c->is_cold ? "all" : "none");
	strv_add(argv, "--profile-from-start");
	strv_add(argv, "off");
	strv_add(argv, "--target-processes");
	strv_add(argv, "all");
	strv_add(argv, "--metrics");
	strv_add(argv, metrics.text);
}

static size_t find_trouble(const char *said)
{
	size_t i = 0;
	while (i < ARRAY_LEN(troubles) && !strstr(said, troubles[i].said))
		i++;
	return i;
}

const char *ncu_tool_trouble(const char *said)
{
	const size_t i = find_trouble(said);
	return i < ARRAY_LEN(troubles) ? troubles[i].name : "unknown";
}

void ncu_tool_explain(const char *said, struct str *out)
{
	static const char mark[] = "==ERROR==";
	const size_t i = find_trouble(said);
	const char *at = strstr(said, mark);
	at = at ? at + strlen(mark) : said;
	at += strspn(at, " ");
	if (i < ARRAY_LEN(troubles))
		str_add(out, troubles[i].text);
	else
		str_add(out, "ncu failed");
	if (*at)
		str_addf(out, " (%.*s)", (int)strcspn(at, "\n"), at);
}
