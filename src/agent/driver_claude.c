#include "agent/agent_ops.h"

/* Claude Code, headless: one process for all prompts of a turn, asked by lines on its standard
 * input, which stays open until the turn is over. How it is started stands in
 * share/agents/claude.toml. */

#include <stdlib.h>

#include "agent/claude_stream.h"
#include "agent/cli_agent.h"
#include "base/json.h"
#include "base/mem.h"

static void *claude_new(struct cli *c, struct cli_sink sink)
{
	struct claude_stream *s = xcalloc(1, sizeof(*s));
	(void)c;
	claude_stream_init(s, sink);
	return s;
}

static void claude_free(void *stream)
{
	claude_stream_release(stream);
	free(stream);
}

static void send_json(struct cli *c, json_t *line)
{
	AUTO_JSON json_t *owned = line;
	AUTO_FREE char *text = json_line(owned);
	cli_send(c, text);
}

static void claude_ask(struct cli *c, const char *prompt)
{
	if (c->is_resuming)
		claude_stream_resume(c->stream, &c->spent);
	claude_stream_begin(c->stream);
	send_json(c, claude_user_line(prompt));
}

static void claude_take(struct cli *c, const json_t *line)
{
	claude_stream_take(c->stream, line);
}

static void claude_cut(struct cli *c)
{
	claude_stream_cut(c->stream);
}

static void claude_interrupt(struct cli *c)
{
	send_json(c, claude_interrupt_line(1));
}

static const struct cli_ops claude_ops = {
	.driver = "claude",
	.keeps_process = true,
	.new_stream = claude_new,
	.free_stream = claude_free,
	.ask = claude_ask,
	.take = claude_take,
	.cut = claude_cut,
	.interrupt = claude_interrupt,
};

static int claude_start(struct agent_link **out, const struct agent_spec *spec,
			const struct agent_turn *turn, struct err *e)
{
	(void)turn;
	return cli_start(out, &claude_ops, spec, e);
}

const struct agent_ops agent_claude = {
	.name = "claude",
	.runs_in_box = true,
	.thinks = true,
	.needs_network = true,
	.check = cli_check,
	.start = claude_start,
	.write_line = cli_write_line,
	.read_line = cli_read_line,
	.describe_end = cli_describe_end,
	.stop = cli_stop,
};
