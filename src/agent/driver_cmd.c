#include "agent/agent_ops.h"

/* Any command: the prompt is its standard input, it answers by `forge submit`, or by a fenced code
 * block at the end of what it prints. What it uses is not known. */

#include <stdlib.h>
#include <string.h>

#include "agent/agent.h"
#include "agent/cli_agent.h"
#include "agent/fenced.h"
#include "agent/tool_table.h"
#include "base/json.h"
#include "base/mem.h"

enum { MAX_PRINTED_BYTES = 8 << 20 };

static void *cmd_new(struct cli *c, struct cli_sink sink)
{
	(void)c;
	(void)sink;
	return NULL;
}

static void cmd_free(void *stream)
{
	(void)stream;
}

static void cmd_ask(struct cli *c, const char *prompt)
{
	cli_send(c, prompt);
	cli_close_input(c);
}

static void cmd_take_text(struct cli *c, const char *bytes, size_t len)
{
	size_t room = MAX_PRINTED_BYTES - c->said.len;
	str_add_len(&c->said, bytes, len < room ? len : room);
}

static void cmd_cut(struct cli *c)
{
	(void)c;
}

/* The wire's answer that a text alone can give in this kind of turn. */
static json_t *answer_of(const struct cli *c, const char *text, size_t len)
{
	enum turn_kind kind;
	bool is_known = turn_kind_parse(json_text_or(c->mail.turn, "kind", ""), &kind);
	const struct tool_spec *tool = is_known ? tool_answering(kind) : NULL;
	json_t *body = tool ? json_stringn(text, len) : NULL;
	if (!body)
		return NULL;
	return json_pack("{s:s, s:o}", "type", tool->answer, tool_text_member(tool), body);
}

static bool cmd_end(struct cli *c, int exit_code)
{
	size_t len;
	if (exit_code != 0)
		return false;
	const char *block = fenced_last(c->said.text, c->said.len, &len);
	bool is_answered = mailbox_link_is_answered(&c->mail);
	json_t *answer = block && !is_answered ? answer_of(c, block, len) : NULL;
	if (c->said.len)
		cli_log(c, "%s", c->said.text);
	if (answer)
		cli_push(c, answer);
	cli_end_turn(c, &(struct cli_event){ .kind = CLI_TURN_END, .stop = CLI_STOP_DONE });
	return true;
}

static const struct cli_ops cmd_ops = {
	.driver = "cmd",
	.is_text = true,
	.new_stream = cmd_new,
	.free_stream = cmd_free,
	.ask = cmd_ask,
	.take_text = cmd_take_text,
	.cut = cmd_cut,
	.end = cmd_end,
};

static int cmd_start(struct agent_link **out, const struct agent_spec *spec,
		     const struct agent_turn *turn, struct err *e)
{
	(void)turn;
	return cli_start(out, &cmd_ops, spec, e);
}

const struct agent_ops agent_cmd = {
	.name = "cmd",
	.runs_in_box = true,
	.thinks = true,
	.needs_network = true,
	.check = cli_check,
	.start = cmd_start,
	.write_line = cli_write_line,
	.read_line = cli_read_line,
	.describe_end = cli_describe_end,
	.stop = cli_stop,
};
