#include "agent/claude_stream.h"

/* Money and tokens come three times: with each message (one API message is split into several lines
 * that repeat its usage, and the output count there is a placeholder), with each result (running
 * totals of the process, subagents included), and as `usage` of the result, which leaves subagents
 * out and is not read. The totals count; messages are told as they come, to stop a turn by, and are
 * what is left of one without a result. */

#include <string.h>

#include "agent/launch.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"

void claude_stream_init(struct claude_stream *s, struct cli_sink sink)
{
	*s = (struct claude_stream){ .sink = sink, .tools = json_object() };
}

void claude_stream_release(struct claude_stream *s)
{
	free(s->session);
	free(s->message);
	free(s->last_error);
	json_decref(s->tools);
	*s = (struct claude_stream){ 0 };
}

static void set_text(char **slot, const char *text)
{
	free(*slot);
	*slot = text ? xstrdup(text) : NULL;
}

void claude_stream_begin(struct claude_stream *s)
{
	s->is_in_turn = true;
	s->nr_requests = 0;
	s->retry_at_s = 0;
	set_text(&s->last_error, NULL);
}

void claude_stream_resume(struct claude_stream *s, const struct cli_tokens *total)
{
	s->total = *total;
	s->is_resumed = true;
}

static void tell(const struct claude_stream *s, const struct cli_event *event)
{
	s->sink.see(s->sink.ctx, event);
}

/* Servers that did not come up: the turn would go on without their tools. */
static void take_servers(const struct claude_stream *s, const json_t *servers)
{
	for (size_t i = 0; i < json_array_size(servers); i++) {
		const json_t *server = json_array_get(servers, i);
		const char *status = json_text_or(server, "status", "");
		AUTO_FREE char *text = xasprintf("its MCP server %s is %s",
						 json_text_or(server, "name", "?"), status);
		if (str_equal(status, "failed") || str_equal(status, "needs-auth"))
			cli_say(&s->sink, CLI_WARNING, text);
	}
}

/* Of a resumed session: do its totals go on? */
static void take_version(struct claude_stream *s, const char *version)
{
	if (!s->is_resumed || !version)
		return;
	s->runs_on = launch_version_fits(version, "2.1.277");
	if (!s->runs_on) {
		s->total = (struct cli_tokens){ 0 };
		s->is_resumed = false;
	}
}

static void take_init(struct claude_stream *s, const json_t *line)
{
	const char *id = json_text_or(line, "session_id", "");
	take_version(s, json_text_or(line, "claude_code_version", NULL));
	take_servers(s, json_object_get(line, "mcp_servers"));
	if (json_array_size(json_object_get(line, "mcp_server_errors")))
		cli_say(&s->sink, CLI_WARNING, "an entry of its MCP configuration was refused");
	if (!id[0] || str_equal(s->session, id))
		return;
	set_text(&s->session, id);
	tell(s, &(struct cli_event){ .kind = CLI_SESSION,
				     .id = s->session,
				     .name = json_text_or(line, "model", ""),
				     .text = json_text_or(line, "claude_code_version", "") });
}

static void take_retry(struct claude_stream *s, const json_t *line)
{
	const char *error = json_text_or(line, "error", "unknown");
	AUTO_FREE char *text =
		xasprintf("%s, attempt %lld", error, (long long)json_int_or(line, "attempt", 0));
	if (!str_equal(error, "unknown") || !s->last_error)
		set_text(&s->last_error, error);
	cli_say(&s->sink, CLI_RETRY, text);
}

static void take_system(struct claude_stream *s, const json_t *line)
{
	const char *subtype = json_text_or(line, "subtype", "");
	if (str_equal(subtype, "init") || str_equal(subtype, "session_start"))
		take_init(s, line);
	else if (str_equal(subtype, "api_retry"))
		take_retry(s, line);
	else if (str_equal(subtype, "permission_denied"))
		cli_say(&s->sink, CLI_WARNING, "it was denied a tool");
}

static void take_limit(struct claude_stream *s, const json_t *line)
{
	const json_t *info = json_object_get(line, "rate_limit_info");
	const char *status = json_text_or(info, "status", "");
	int64_t at = (int64_t)cli_count(info, "resetsAt");
	if (str_equal(status, "allowed"))
		return;
	if (str_equal(status, "rejected"))
		s->retry_at_s = at;
	tell(s, &(struct cli_event){ .kind = CLI_LIMIT, .text = status, .retry_at_s = at });
}

static void take_reset(struct claude_stream *s, const json_t *line)
{
	const char *id = json_text_or(line, "new_conversation_id", "");
	s->total = (struct cli_tokens){ 0 };
	if (!id[0])
		return;
	set_text(&s->session, id);
	tell(s, &(struct cli_event){ .kind = CLI_SESSION, .id = s->session });
}

/* Its output count is a placeholder. */
static void count_message(struct claude_stream *s, const json_t *message)
{
	const json_t *usage = json_object_get(message, "usage");
	const char *id = json_text_or(message, "id", "");
	if (!usage || !id[0] || str_equal(s->message, id))
		return;
	set_text(&s->message, id);
	struct cli_tokens t = { .input = cli_count(usage, "input_tokens"),
				.cache_read = cli_count(usage, "cache_read_input_tokens"),
				.cache_write = cli_count(usage, "cache_creation_input_tokens") };
	/* A message of its own making, to report an error, was no request. */
	if (!t.input && !t.cache_read && !t.cache_write)
		return;
	t.requests = 1;
	t.has_tokens = true;
	s->nr_requests++;
	tell(s, &(struct cli_event){ .kind = CLI_USAGE,
				     .name = json_text_or(message, "model", ""),
				     .tokens = t });
}

static void take_block(struct claude_stream *s, const json_t *block)
{
	const char *type = json_text_or(block, "type", "");
	if (str_equal(type, "text"))
		cli_say(&s->sink, CLI_TEXT, json_text_or(block, "text", ""));
	else if (str_equal(type, "thinking"))
		cli_say(&s->sink, CLI_THINK, json_text_or(block, "thinking", ""));
	else if (str_equal(type, "tool_use"))
		cli_tool_start(s->tools, &s->sink, json_text_or(block, "id", ""),
			       json_text_or(block, "name", ""));
	else if (str_equal(type, "tool_result"))
		cli_tool_end(s->tools, &s->sink, json_text_or(block, "tool_use_id", ""),
			     json_bool_or(block, "is_error", false));
}

static void take_message(struct claude_stream *s, const json_t *line)
{
	const json_t *message = json_object_get(line, "message");
	const json_t *content = json_object_get(message, "content");
	const char *error = json_text_or(line, "error", NULL);
	if (error)
		set_text(&s->last_error, error);
	for (size_t i = 0; i < json_array_size(content); i++)
		take_block(s, json_array_get(content, i));
	if (json_is_string(content) && str_equal(json_text_or(line, "type", ""), "assistant"))
		cli_say(&s->sink, CLI_TEXT, json_string_value(content));
	if (str_equal(json_text_or(line, "type", ""), "assistant"))
		count_message(s, message);
}

/* A request that is not answered blocks it for ever. */
static void take_request(const struct claude_stream *s, const json_t *line)
{
	const json_t *request = json_object_get(line, "request");
	const char *id = json_text_or(line, "request_id", "");
	const char *subtype = json_text_or(request, "subtype", "");
	const char *tool = json_text_or(request, "tool_name", "");
	if (!str_equal(subtype, "can_use_tool")) {
		cli_reply(&s->sink, json_pack("{s:s, s:{s:s, s:s, s:s}}", "type",
					      "control_response", "response", "subtype", "error",
					      "request_id", id, "error", "not supported"));
		return;
	}
	bool is_ours = str_starts(tool, "mcp__forge__");
	json_t *input = json_object_get(request, "input");
	json_t *verdict =
		is_ours ? json_pack("{s:s, s:O*}", "behavior", "allow", "updatedInput", input)
			: json_pack("{s:s, s:s}", "behavior", "deny", "message",
				    "not allowed in this workspace");
	cli_reply(&s->sink,
		  json_pack("{s:s, s:{s:s, s:s, s:o}}", "type", "control_response", "response",
			    "subtype", "success", "request_id", id, "response", verdict));
}

static struct cli_tokens totals_of(const json_t *line)
{
	struct cli_tokens t = { .has_tokens = true };
	const json_t *models = json_object_get(line, "modelUsage");
	const json_t *usd = json_object_get(line, "total_cost_usd");
	const char *key;
	json_t *use;
	/* jansson's iterator wants a mutable object; it only reads. */
	json_object_foreach((json_t *)(uintptr_t)models, key, use)
	{
		t.input += cli_count(use, "inputTokens");
		t.output += cli_count(use, "outputTokens");
		t.cache_read += cli_count(use, "cacheReadInputTokens");
		t.cache_write += cli_count(use, "cacheCreationInputTokens");
		t.has_tokens &= cli_has_count(use, "inputTokens");
	}
	t.has_tokens &= json_object_size(models) > 0;
	t.has_usd = json_is_number(usd) && json_number_value(usd) >= 0;
	t.usd = t.has_usd ? json_number_value(usd) : 0;
	return t;
}

static bool is_same_tokens(const struct cli_tokens *a, const struct cli_tokens *b)
{
	return a->input == b->input && a->cache_read == b->cache_read &&
	       a->cache_write == b->cache_write && a->output == b->output;
}

/* Of a resumed session money must have grown with the tokens if both run on. When they do not
 * agree, the totals are read as this process's own: more was spent, never less. */
static struct cli_tokens spent(const struct claude_stream *s, const struct cli_tokens *now)
{
	if (s->is_resumed && s->runs_on)
		return cli_tokens_beyond(now, &s->total);
	struct cli_tokens d = cli_tokens_since(now, &s->total);
	bool is_odd = s->is_resumed && is_same_tokens(now, &s->total) && now->usd > s->total.usd;
	if (!is_odd)
		return d;
	d = *now;
	d.is_partial = true;
	return d;
}

static struct cli_tokens take_totals(struct claude_stream *s, const json_t *line)
{
	struct cli_tokens now = totals_of(line);
	struct cli_tokens d = spent(s, &now);
	s->total = now;
	s->is_resumed = false;
	/* A turn that sent requests and says that they cost nothing: a crash. */
	if (s->nr_requests && !(d.usd > 0))
		d.has_usd = false;
	d.requests = s->nr_requests;
	return d;
}

void claude_stream_cut(struct claude_stream *s)
{
	cli_tools_close(s->tools, &s->sink);
	s->is_in_turn = false;
}

static const char *first_error(const json_t *line)
{
	const json_t *errors = json_object_get(line, "errors");
	const char *text = json_string_value(json_array_get(errors, 0));
	return text ? text : json_text_or(line, "result", "");
}

/* A name of the API's error, such as billing_error, tells more than prose. */
static enum cli_error error_of_name(const char *name)
{
	static const struct {
		const char *name;
		enum cli_error error;
	} rows[] = {
		{ "authentication_failed", CLI_ERROR_AUTH },
		{ "oauth_org_not_allowed", CLI_ERROR_AUTH },
		{ "account_on_hold", CLI_ERROR_AUTH },
		{ "cloud_credential_error", CLI_ERROR_AUTH },
		{ "billing_error", CLI_ERROR_BILLING },
		{ "rate_limit", CLI_ERROR_RATE_LIMIT },
		{ "overloaded", CLI_ERROR_OVERLOADED },
		{ "invalid_request", CLI_ERROR_INVALID },
		{ "model_not_found", CLI_ERROR_INVALID },
		{ "max_output_tokens", CLI_ERROR_INVALID },
		{ "server_error", CLI_ERROR_SERVER },
	};
	for (size_t i = 0; name && i < ARRAY_LEN(rows); i++)
		if (str_equal(rows[i].name, name))
			return rows[i].error;
	return CLI_ERROR_NONE;
}

static enum cli_error error_of(const struct claude_stream *s, const json_t *line)
{
	enum cli_error error = cli_error_of_status((int64_t)cli_count(line, "api_error_status"));
	if (error == CLI_ERROR_NONE)
		error = error_of_name(s->last_error);
	if (error == CLI_ERROR_NONE)
		error = cli_error_of_text(first_error(line), CLI_ERROR_SERVER);
	return error;
}

static enum cli_stop stop_of(const json_t *line)
{
	const char *subtype = json_text_or(line, "subtype", "");
	const char *terminal = json_text_or(line, "terminal_reason", "");
	if (str_equal(subtype, "error_max_turns"))
		return CLI_STOP_MAX_TURNS;
	if (str_equal(subtype, "error_max_budget_usd"))
		return CLI_STOP_BUDGET;
	if (json_bool_or(line, "is_error", false) || str_starts(subtype, "error_"))
		return CLI_STOP_ERROR;
	if (str_equal(terminal, "prompt_too_long"))
		return CLI_STOP_CONTEXT;
	if (str_starts(terminal, "aborted_"))
		return CLI_STOP_CANCELLED;
	if (str_equal(json_text_or(line, "stop_reason", ""), "refusal"))
		return CLI_STOP_REFUSAL;
	return CLI_STOP_DONE;
}

static void take_result(struct claude_stream *s, const json_t *line)
{
	if (!s->is_in_turn) {
		cli_say(&s->sink, CLI_WARNING, "a second result of one turn");
		return;
	}
	struct cli_event end = { .kind = CLI_TURN_END, .stop = stop_of(line) };
	end.text = first_error(line);
	if (end.stop == CLI_STOP_ERROR)
		end.error = error_of(s, line);
	if (end.error == CLI_ERROR_RATE_LIMIT)
		end.retry_at_s = s->retry_at_s;
	cli_tools_close(s->tools, &s->sink);
	end.tokens = take_totals(s, line);
	s->is_in_turn = false;
	tell(s, &end);
}

void claude_stream_take(struct claude_stream *s, const json_t *line)
{
	static const struct {
		const char *type;
		void (*take)(struct claude_stream *s, const json_t *line);
		bool in_turn_only;
	} rows[] = {
		{ "system", take_system, false },
		{ "assistant", take_message, true },
		{ "user", take_message, true },
		{ "rate_limit_event", take_limit, false },
		{ "conversation_reset", take_reset, false },
		{ "result", take_result, false },
	};
	const char *type = json_text_or(line, "type", "");
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (str_equal(rows[i].type, type) && (s->is_in_turn || !rows[i].in_turn_only))
			rows[i].take(s, line);
	if (str_equal(type, "control_request"))
		take_request(s, line);
}

json_t *claude_user_line(const char *text)
{
	return json_pack("{s:s, s:{s:s, s:s}, s:n, s:s}", "type", "user", "message", "role", "user",
			 "content", text, "parent_tool_use_id", "session_id", "");
}

json_t *claude_interrupt_line(unsigned number)
{
	AUTO_FREE char *id = xasprintf("forge-%u", number);
	return json_pack("{s:s, s:s, s:{s:s}}", "type", "control_request", "request_id", id,
			 "request", "subtype", "interrupt");
}
