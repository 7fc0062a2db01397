#include "agent/agent_ops.h"

/* Codex, headless: a process a prompt, which is its whole standard input; a further prompt resumes
 * the thread. It can not be interrupted, only ended. share/agents/codex.toml says how it is
 * started. */

#include <stdlib.h>

#include "agent/cli_agent.h"
#include "agent/codex_stream.h"
#include "base/mem.h"

static void *codex_new(struct cli *c, struct cli_sink sink)
{
	struct codex_stream *s = xcalloc(1, sizeof(*s));
	(void)c;
	codex_stream_init(s, sink);
	return s;
}

static void codex_free(void *stream)
{
	codex_stream_release(stream);
	free(stream);
}

static void codex_ask(struct cli *c, const char *prompt)
{
	if (c->is_resuming)
		codex_stream_resume(c->stream, &c->spent);
	codex_stream_begin(c->stream);
	cli_send(c, prompt);
	cli_close_input(c);
}

static void codex_take(struct cli *c, const json_t *line)
{
	codex_stream_take(c->stream, line);
}

static void codex_cut(struct cli *c)
{
	codex_stream_cut(c->stream);
}

static const struct cli_ops codex_ops = {
	.driver = "codex",
	.new_stream = codex_new,
	.free_stream = codex_free,
	.ask = codex_ask,
	.take = codex_take,
	.cut = codex_cut,
};

static int codex_start(struct agent_link **out, const struct agent_spec *spec,
		       const struct agent_turn *turn, struct err *e)
{
	(void)turn;
	return cli_start(out, &codex_ops, spec, e);
}

const struct agent_ops agent_codex = {
	.name = "codex",
	.runs_in_box = true,
	.thinks = true,
	.needs_network = true,
	.check = cli_check,
	.start = codex_start,
	.write_line = cli_write_line,
	.read_line = cli_read_line,
	.describe_end = cli_describe_end,
	.stop = cli_stop,
};
