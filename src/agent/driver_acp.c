#include "agent/agent_ops.h"

/* Any agent that speaks the Agent Client Protocol, version 1: one process and one session for all
 * prompts of a turn. Which one, share/agents/NAME.toml says. */

#include <stdlib.h>

#include "agent/acp.h"
#include "agent/cli_agent.h"
#include "base/mem.h"
#include "base/version.h"

struct acp_link {
	struct acp acp;
	struct acp_setup setup;
	const char *arguments[3]; /* of forge */
};

static void *acp_new(struct cli *c, struct cli_sink sink)
{
	struct acp_link *a = xcalloc(1, sizeof(*a));
	a->arguments[0] = "mcp";
	a->arguments[1] = "--mailbox";
	a->arguments[2] = c->box.mailbox;
	a->setup = (struct acp_setup){
		.workspace = c->box.workspace,
		.mcp_program = c->box.forge,
		.mcp_arguments = a->arguments,
		.nr_mcp_arguments = ARRAY_LEN(a->arguments),
		.version = FORGE_VERSION,
		.model = c->launch.model,
		.auth = c->launch.auth,
		.allowed = c->launch.allow,
		.nr_allowed = c->launch.nr_allow,
	};
	acp_init(&a->acp, &a->setup, sink);
	return a;
}

static void acp_free(void *stream)
{
	struct acp_link *a = stream;
	acp_release(&a->acp);
	free(a);
}

static void acp_ask(struct cli *c, const char *prompt)
{
	struct acp_link *a = c->stream;
	/* A new process knows nothing of the one before. */
	if (!c->has_session) {
		const struct cli_sink sink = a->acp.sink;
		acp_release(&a->acp);
		acp_init(&a->acp, &a->setup, sink);
	}
	if (c->is_resuming)
		acp_resume(&a->acp, c->session, c->spent.usd);
	acp_prompt(&a->acp, prompt);
}

static void acp_take_line(struct cli *c, const json_t *line)
{
	acp_take(&((struct acp_link *)c->stream)->acp, line);
}

static void acp_cut_turn(struct cli *c)
{
	acp_cut(&((struct acp_link *)c->stream)->acp);
}

static void acp_interrupt(struct cli *c)
{
	acp_cancel(&((struct acp_link *)c->stream)->acp);
}

static const struct cli_ops acp_ops = {
	.driver = "acp",
	.keeps_process = true,
	.loads_session = true,
	.new_stream = acp_new,
	.free_stream = acp_free,
	.ask = acp_ask,
	.take = acp_take_line,
	.cut = acp_cut_turn,
	.interrupt = acp_interrupt,
};

static int acp_start(struct agent_link **out, const struct agent_spec *spec,
		     const struct agent_turn *turn, struct err *e)
{
	(void)turn;
	return cli_start(out, &acp_ops, spec, e);
}

const struct agent_ops agent_acp = {
	.name = "acp",
	.runs_in_box = true,
	.thinks = true,
	.needs_network = true,
	.check = cli_check,
	.start = acp_start,
	.write_line = cli_write_line,
	.read_line = cli_read_line,
	.describe_end = cli_describe_end,
	.stop = cli_stop,
};
