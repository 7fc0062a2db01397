#include "agent/codex_stream.h"

/* Usage is told once a turn and counts the whole thread, turns that were resumed included, so the
 * last total is kept with the thread. Cached input is part of input, reasoning is part of output.
 */

#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"

void codex_stream_init(struct codex_stream *s, struct cli_sink sink)
{
	*s = (struct codex_stream){ .sink = sink, .tools = json_object() };
}

void codex_stream_release(struct codex_stream *s)
{
	free(s->thread);
	free(s->remark);
	json_decref(s->tools);
	*s = (struct codex_stream){ 0 };
}

static void set_text(char **slot, const char *text)
{
	free(*slot);
	*slot = text ? xstrdup(text) : NULL;
}

void codex_stream_begin(struct codex_stream *s)
{
	s->is_in_turn = true;
	set_text(&s->remark, NULL);
}

void codex_stream_resume(struct codex_stream *s, const struct cli_tokens *total)
{
	s->total = *total;
	s->is_resumed = true;
}

static void take_thread(struct codex_stream *s, const json_t *line)
{
	const char *id = json_text_or(line, "thread_id", "");
	if (!id[0] || str_equal(s->thread, id))
		return;
	set_text(&s->thread, id);
	if (!s->is_resumed)
		s->total = (struct cli_tokens){ 0 };
	s->sink.see(s->sink.ctx, &(struct cli_event){ .kind = CLI_SESSION, .id = s->thread });
}

static void take_remark(struct codex_stream *s, const json_t *line)
{
	const char *text = json_text_or(line, "message", "");
	set_text(&s->remark, text);
	cli_say(&s->sink, str_starts(text, "Reconnecting") ? CLI_RETRY : CLI_WARNING, text);
}

static const char *name_of_tool(const json_t *item, const char *type)
{
	const char *tool = json_text_or(item, "tool", NULL);
	return tool ? tool : type;
}

static bool is_failed(const json_t *item)
{
	const char *status = json_text_or(item, "status", "");
	return str_equal(status, "failed") || str_equal(status, "declined") ||
	       json_is_object(json_object_get(item, "error"));
}

static bool is_tool(const char *type)
{
	static const char *const types[] = { "command_execution", "file_change", "mcp_tool_call",
					     "web_search", "collab_tool_call" };
	for (size_t i = 0; i < ARRAY_LEN(types); i++)
		if (str_equal(types[i], type))
			return true;
	return false;
}

static void take_tool(const struct codex_stream *s, const json_t *item, const char *type,
		      bool is_over)
{
	const char *id = json_text_or(item, "id", "");
	cli_tool_start(s->tools, &s->sink, id, name_of_tool(item, type));
	if (is_over)
		cli_tool_end(s->tools, &s->sink, id, is_failed(item));
}

static void take_said(const struct codex_stream *s, const json_t *item, const char *type)
{
	if (str_equal(type, "agent_message"))
		cli_say(&s->sink, CLI_TEXT, json_text_or(item, "text", ""));
	else if (str_equal(type, "reasoning"))
		cli_say(&s->sink, CLI_THINK, json_text_or(item, "text", ""));
	else if (str_equal(type, "error"))
		cli_say(&s->sink, CLI_WARNING, json_text_or(item, "message", ""));
}

static void take_item(const struct codex_stream *s, const json_t *line, bool is_over)
{
	const json_t *item = json_object_get(line, "item");
	const char *type = json_text_or(item, "type", "");
	if (is_tool(type))
		take_tool(s, item, type, is_over);
	else if (is_over)
		take_said(s, item, type);
}

static uint64_t less(uint64_t whole, uint64_t part)
{
	return whole > part ? whole - part : 0;
}

static struct cli_tokens tokens_of(struct codex_stream *s, const json_t *line)
{
	const json_t *usage = json_object_get(line, "usage");
	struct cli_tokens now = { .cache_read = cli_count(usage, "cached_input_tokens"),
				  .cache_write = cli_count(usage, "cache_write_input_tokens"),
				  .output = cli_count(usage, "output_tokens"),
				  .reasoning = cli_count(usage, "reasoning_output_tokens"),
				  .has_tokens = true };
	/* What makes no sense is not known; it is no 0. */
	if (!cli_has_count(usage, "input_tokens") || !cli_has_count(usage, "output_tokens"))
		return (struct cli_tokens){ 0 };
	now.input = less(cli_count(usage, "input_tokens"), now.cache_read + now.cache_write);
	struct cli_tokens d = s->is_resumed ? cli_tokens_beyond(&now, &s->total)
					    : cli_tokens_since(&now, &s->total);
	s->total = now;
	s->is_resumed = false;
	return d;
}

static void end_turn(struct codex_stream *s, const struct cli_event *end)
{
	cli_tools_close(s->tools, &s->sink);
	s->is_in_turn = false;
	s->sink.see(s->sink.ctx, end);
}

static void take_completed(struct codex_stream *s, const json_t *line)
{
	struct cli_event end = { .kind = CLI_TURN_END, .stop = CLI_STOP_DONE };
	end.tokens = tokens_of(s, line);
	end_turn(s, &end);
}

static void take_failed(struct codex_stream *s, const json_t *line)
{
	const json_t *error = json_object_get(line, "error");
	const char *text = json_text_or(error, "message", s->remark ? s->remark : "");
	struct cli_event end = { .kind = CLI_TURN_END, .stop = CLI_STOP_ERROR, .text = text };
	end.error = cli_error_of_text(text, CLI_ERROR_SERVER);
	end.retry_in_s = cli_retry_in_s(text);
	if (strcasestr(text, "context window"))
		end = (struct cli_event){ .kind = CLI_TURN_END,
					  .text = text,
					  .stop = CLI_STOP_CONTEXT };
	end_turn(s, &end);
}

void codex_stream_take(struct codex_stream *s, const json_t *line)
{
	const char *type = json_text_or(line, "type", "");
	if (str_equal(type, "thread.started"))
		take_thread(s, line);
	if (!s->is_in_turn)
		return;
	if (str_equal(type, "item.started") || str_equal(type, "item.updated"))
		take_item(s, line, false);
	else if (str_equal(type, "item.completed"))
		take_item(s, line, true);
	else if (str_equal(type, "error"))
		take_remark(s, line);
	else if (str_equal(type, "turn.completed"))
		take_completed(s, line);
	else if (str_equal(type, "turn.failed"))
		take_failed(s, line);
}

void codex_stream_cut(struct codex_stream *s)
{
	cli_tools_close(s->tools, &s->sink);
	s->is_in_turn = false;
}
