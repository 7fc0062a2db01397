#include "cmd/cmd.h"

/* The configuration that makes a client start `forge mcp`. Paths are absolute: a client starts its
 * servers from any folder. */

#include <stdlib.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/share.h"
#include "cmd/need_run.h"
#include "cmd/term.h"
#include "mcp/mcp_config.h"

struct choice {
	const char *client;
	const char *run_dir;
	const char *role;
};

static int make_args(const struct choice *c, struct strv *args, struct err *e)
{
	const char *role = c->role ? c->role : "student";
	strv_add(args, "mcp");
	if (!str_equal(role, "student") && !str_equal(role, "teacher"))
		return err_set(e, ERR_USAGE, "--role is student or teacher, not '%s'", role);
	if (!c->run_dir && c->role)
		return err_set(e, ERR_USAGE, "--role is that of a run; --run is missing");
	if (!c->run_dir)
		return 0;
	if (need_run(c->run_dir, e) < 0)
		return -1;
	AUTO_FREE char *run = realpath(c->run_dir, NULL);
	if (!run)
		return err_errno(e, ERR_SYSTEM, "path of %s", c->run_dir);
	strv_add(args, "--run");
	strv_add(args, run);
	strv_add(args, "--role");
	strv_add(args, role);
	return 0;
}

int cmd_mcp_config(const struct cmd_call *call, struct err *e)
{
	int code = 0;
	struct choice c = { .client = NULL };
	const struct opt rows[] = {
		{ 0, "for", OPT_TEXT, "CLIENT", "claude, codex, cursor or vscode", &c.client },
		{ 0, "run", OPT_TEXT, "DIR", "the run to play in; none: an agent's box",
		  &c.run_dir },
		{ 0, "role", OPT_TEXT, "ROLE", "student (default) or teacher", &c.role },
	};
	AUTO_STRV struct strv rest = { 0 };
	AUTO_STRV struct strv args = { 0 };
	AUTO_STR struct str out = STR_INIT;
	if (!cmd_parse(call, OPT_TABLE(rows), &rest, &code, e))
		return code;
	if (!c.client)
		return err_set(e, ERR_USAGE, "mcp-config: --for CLIENT is missing");
	AUTO_FREE char *forge = sibling_path("forge");
	if (make_args(&c, &args, e) < 0 || mcp_config_print(c.client, forge, &args, &out, e) < 0)
		return -1;
	term_put(out.text);
	return 0;
}
