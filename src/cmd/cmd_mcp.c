#include "cmd/cmd.h"

/* The MCP server on standard input and output. Nothing but its lines may reach the client, so what
 * anybody else prints goes to stderr. */

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "base/err.h"
#include "base/log.h"
#include "base/mem.h"
#include "cmd/mailbox_place.h"
#include "mcp/mcp.h"
#include "mcp/mcp_serve.h"

/* Our own descriptor of what was standard output; standard output is stderr from now on. */
static int take_stdout(struct err *e)
{
	AUTO_CLOSE int out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (out < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		return err_errno(e, ERR_SYSTEM, "take standard output");
	return take_fd(&out);
}

static int serve(const struct mailbox_place *place, struct err *e)
{
	AUTO_CLOSE int out = take_stdout(e);
	if (out < 0)
		return -1;
	const struct mcp_spec spec = { .mailbox = place->dir,
				       .role = place->role,
				       .run_dir = place->run_dir,
				       .is_one_turn = place->is_one_turn };
	AUTO_MCP struct mcp m = { .out = STR_INIT };
	mcp_init(&m, &spec);
	log_debug("mcp: mailbox %s, role %s", place->dir, agent_role_name(place->role));
	signal(SIGPIPE, SIG_IGN);
	return mcp_serve(&m, STDIN_FILENO, out, e);
}

int cmd_mcp(const struct cmd_call *call, struct err *e)
{
	int code = 0;
	AUTO_MAILBOX_PLACE struct mailbox_place place = { .dir = NULL };
	const struct opt rows[] = {
		{ 0, "run", OPT_TEXT, "DIR", "of a run whose role is \"manual\"", &place.run_dir },
		{ 0, "role", OPT_TEXT, "ROLE", "student or teacher; the one played by hand",
		  &place.role_name },
		{ 0, "mailbox", OPT_TEXT, "DIR", "of any mailbox", &place.given },
	};
	AUTO_STRV struct strv rest = { 0 };
	if (!cmd_parse(call, OPT_TABLE(rows), &rest, &code, e))
		return code;
	if (mailbox_place_find(&place, e) < 0)
		return -1;
	return serve(&place, e);
}
