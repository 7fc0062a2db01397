#include "agent/acp.h"

/* The order is fixed: initialize, a session (after a login where the agent asks for one and the
 * user named a method), the model if one is wanted, the prompt. Ids of the agent go back exactly as
 * they came. Permissions are answered by a table (acp_permission.c), at once. */

#include <string.h>

#include "agent/acp_permission.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"

enum { PROTOCOL = 1, NO_METHOD = -32601, AUTH_REQUIRED = -32000, MAX_CALLS = 4096 };

void acp_init(struct acp *a, const struct acp_setup *setup, struct cli_sink sink)
{
	*a = (struct acp){
		.sink = sink, .setup = setup, .calls = json_object(), .tools = json_object()
	};
}

void acp_release(struct acp *a)
{
	free(a->session);
	free(a->resume);
	free(a->prompt);
	free(a->methods);
	json_decref(a->calls);
	json_decref(a->tools);
	*a = (struct acp){ 0 };
}

static void set_text(char **slot, char *owned)
{
	free(*slot);
	*slot = owned;
}

/* `params` is taken. */
static void request(struct acp *a, enum acp_step step, const char *method, json_t *params)
{
	a->open = step;
	cli_reply(&a->sink, json_pack("{s:s, s:I, s:s, s:o}", "jsonrpc", "2.0", "id", a->last_id++,
				      "method", method, "params", params));
}

static void respond(const struct acp *a, json_t *id, json_t *result)
{
	cli_reply(&a->sink,
		  json_pack("{s:s, s:O, s:o}", "jsonrpc", "2.0", "id", id, "result", result));
}

/* Members of `usage` are of one prompt; the dollars of updates are those of the session so far. */
static struct cli_tokens tokens_of(struct acp *a, const json_t *usage)
{
	struct cli_tokens t = { .has_tokens = cli_has_count(usage, "inputTokens"),
				.has_usd = a->has_usd };
	t.input = cli_count(usage, "inputTokens");
	t.cache_read = cli_count(usage, "cachedReadTokens");
	t.cache_write = cli_count(usage, "cachedWriteTokens");
	t.output = cli_count(usage, "outputTokens");
	t.reasoning = cli_count(usage, "thoughtTokens");
	t.usd = a->usd >= a->told_usd ? a->usd - a->told_usd : a->usd;
	a->told_usd = a->usd;
	a->has_usd = false; /* until it tells again */
	return t;
}

static void end_turn(struct acp *a, struct cli_event *end)
{
	end->kind = CLI_TURN_END;
	cli_tools_close(a->tools, &a->sink);
	if (a->open != ACP_DEAD)
		a->open = ACP_IDLE;
	a->sink.see(a->sink.ctx, end);
}

static void fail(struct acp *a, enum cli_error error, const char *text)
{
	struct cli_event end = { .stop = CLI_STOP_ERROR, .error = error, .text = text };
	if (!a->session)
		a->open = ACP_DEAD;
	end_turn(a, &end);
}

static void send_initialize(struct acp *a)
{
	request(a, ACP_INITIALIZE, "initialize",
		json_pack("{s:i, s:{s:{s:b, s:b}, s:b}, s:{s:s, s:s, s:s}}", "protocolVersion",
			  PROTOCOL, "clientCapabilities", "fs", "readTextFile", 0, "writeTextFile",
			  0, "terminal", 0, "clientInfo", "name", "forge", "title", "forge",
			  "version", a->setup->version));
}

static json_t *session_params(const struct acp_setup *s)
{
	json_t *arguments = json_array();
	for (size_t i = 0; i < s->nr_mcp_arguments; i++)
		json_array_append_new(arguments, json_string(s->mcp_arguments[i]));
	json_t *server = json_pack("{s:s, s:s, s:o, s:[]}", "name", "forge", "command",
				   s->mcp_program, "args", arguments, "env");
	return json_pack("{s:s, s:[o]}", "cwd", s->workspace, "mcpServers", server);
}

static void send_session(struct acp *a)
{
	json_t *params = session_params(a->setup);
	if (!a->resume) {
		request(a, ACP_NEW_SESSION, "session/new", params);
		return;
	}
	json_object_set_new(params, "sessionId", json_string(a->resume));
	request(a, ACP_LOAD_SESSION, "session/load", params);
}

static void send_prompt(struct acp *a)
{
	AUTO_FREE char *text = take_ptr(&a->prompt);
	a->is_cancelled = false;
	request(a, ACP_PROMPT, "session/prompt",
		json_pack("{s:s, s:[{s:s, s:s}]}", "sessionId", a->session, "prompt", "type",
			  "text", "text", text ? text : ""));
}

void acp_resume(struct acp *a, const char *session, double told_usd)
{
	set_text(&a->resume, xstrdup(session));
	a->told_usd = told_usd;
}

void acp_prompt(struct acp *a, const char *text)
{
	set_text(&a->prompt, xstrdup(text));
	if (a->open == ACP_DEAD)
		fail(a, CLI_ERROR_PROTOCOL, "there is no session with the agent");
	else if (a->session)
		send_prompt(a);
	else
		send_initialize(a);
}

void acp_cancel(struct acp *a)
{
	if (a->open != ACP_PROMPT || a->is_cancelled)
		return;
	a->is_cancelled = true;
	cli_reply(&a->sink, json_pack("{s:s, s:s, s:{s:s}}", "jsonrpc", "2.0", "method",
				      "session/cancel", "params", "sessionId", a->session));
}

void acp_cut(struct acp *a)
{
	cli_tools_close(a->tools, &a->sink);
}

static void keep_methods(struct acp *a, const json_t *result)
{
	const json_t *methods = json_object_get(result, "authMethods");
	AUTO_STR struct str names = STR_INIT;
	for (size_t i = 0; i < json_array_size(methods); i++)
		str_addf(&names, "%s%s", i ? ", " : "",
			 json_text_or(json_array_get(methods, i), "id", "?"));
	set_text(&a->methods, str_take(&names));
}

static void take_initialize(struct acp *a, const json_t *result)
{
	json_int_t version = json_int_or(result, "protocolVersion", 0);
	AUTO_FREE char *text =
		xasprintf("it speaks version %lld of the Agent Client Protocol, and forge speaks 1",
			  (long long)version);
	if (version != PROTOCOL) {
		fail(a, CLI_ERROR_UNSUPPORTED, text);
		return;
	}
	keep_methods(a, result);
	const json_t *can = json_object_get(result, "agentCapabilities");
	if (a->resume && !json_bool_or(can, "loadSession", false))
		fail(a, CLI_ERROR_UNSUPPORTED, "it loads no sessions");
	else
		send_session(a);
}

/* The option by which the model is chosen, or NULL. */
static const json_t *model_option(const json_t *result)
{
	const json_t *options = json_object_get(result, "configOptions");
	for (size_t i = 0; i < json_array_size(options); i++) {
		const json_t *option = json_array_get(options, i);
		if (str_equal(json_text_or(option, "category", ""), "model"))
			return option;
	}
	return NULL;
}

/* A session that was loaded has the id that it was asked for by. */
static void take_session(struct acp *a, const json_t *result, const char *known)
{
	const json_t *option = model_option(result);
	const char *id = known ? known : json_text_or(result, "sessionId", "");
	if (!id[0]) {
		fail(a, CLI_ERROR_PROTOCOL, "it opened a session without an id");
		return;
	}
	set_text(&a->session, xstrdup(id));
	a->sink.see(a->sink.ctx, &(struct cli_event){ .kind = CLI_SESSION, .id = a->session });
	if (a->setup->model && !option)
		cli_say(&a->sink, CLI_WARNING, "it lets nobody choose its model");
	if (!a->setup->model || !option) {
		send_prompt(a);
		return;
	}
	request(a, ACP_SET_MODEL, "session/set_config_option",
		json_pack("{s:s, s:s, s:s}", "sessionId", a->session, "configId",
			  json_text_or(option, "id", ""), "value", a->setup->model));
}

static void take_stop(struct acp *a, const json_t *result)
{
	static const struct {
		const char *reason;
		enum cli_stop stop;
	} rows[] = {
		{ "end_turn", CLI_STOP_DONE },
		{ "max_tokens", CLI_STOP_MAX_TOKENS },
		{ "max_turn_requests", CLI_STOP_MAX_TURNS },
		{ "refusal", CLI_STOP_REFUSAL },
		{ "cancelled", CLI_STOP_CANCELLED },
	};
	const char *reason = json_text_or(result, "stopReason", "");
	struct cli_event end = { .stop = CLI_STOP_DONE };
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (str_equal(rows[i].reason, reason))
			end.stop = rows[i].stop;
	end.tokens = tokens_of(a, json_object_get(result, "usage"));
	end_turn(a, &end);
}

static void take_result(struct acp *a, enum acp_step step, const json_t *result)
{
	switch (step) {
	case ACP_INITIALIZE:
		take_initialize(a, result);
		return;
	case ACP_AUTHENTICATE:
		send_session(a);
		return;
	case ACP_NEW_SESSION:
		take_session(a, result, NULL);
		return;
	case ACP_LOAD_SESSION:
		take_session(a, result, a->resume);
		return;
	case ACP_SET_MODEL:
		send_prompt(a);
		return;
	case ACP_PROMPT:
		take_stop(a, result);
		return;
	case ACP_IDLE:
	case ACP_DEAD:
		return;
	}
}

static void want_login(struct acp *a, const char *said)
{
	if (a->setup->auth && !a->has_tried_auth) {
		a->has_tried_auth = true;
		request(a, ACP_AUTHENTICATE, "authenticate",
			json_pack("{s:s}", "methodId", a->setup->auth));
		return;
	}
	AUTO_FREE char *text =
		xasprintf("%s: it wants a login; log in by its own command, give it its key by the "
			  "environment, "
			  "or name a method as `auth` in its file of share/agents (it offers: %s)",
			  said, a->methods && a->methods[0] ? a->methods : "none");
	fail(a, CLI_ERROR_AUTH, text);
}

static void take_error(struct acp *a, enum acp_step step, const json_t *error)
{
	const char *said = json_text_or(error, "message", "");
	json_int_t code = json_int_or(error, "code", 0);
	if (step == ACP_SET_MODEL) {
		cli_say(&a->sink, CLI_WARNING, said);
		send_prompt(a);
	} else if (code == AUTH_REQUIRED || step == ACP_AUTHENTICATE) {
		want_login(a, said);
	} else if (step == ACP_LOAD_SESSION) {
		fail(a, CLI_ERROR_INVALID, said);
	} else {
		fail(a, cli_error_of_text(said, CLI_ERROR_SERVER), said);
	}
}

static void take_answer(struct acp *a, const json_t *msg)
{
	const json_t *id = json_object_get(msg, "id");
	const json_t *error = json_object_get(msg, "error");
	enum acp_step step = a->open;
	bool is_open = step != ACP_IDLE && step != ACP_DEAD && json_is_integer(id) &&
		       json_integer_value(id) == a->last_id - 1;
	if (!is_open) {
		cli_say(&a->sink, CLI_WARNING, "an answer to no open request");
		return;
	}
	a->open = ACP_IDLE;
	if (json_is_object(error))
		take_error(a, step, error);
	else
		take_result(a, step, json_object_get(msg, "result"));
}

static const char *text_of(const json_t *update)
{
	return json_text_or(json_object_get(update, "content"), "text", "");
}

/* Members that are absent or null are as before. */
static void merge_call(struct acp *a, const char *id, const json_t *update)
{
	static const char *const keys[] = { "kind", "locations" };
	json_t *call = json_object_get(a->calls, id);
	if (!call && json_object_size(a->calls) >= MAX_CALLS)
		return;
	if (!call)
		json_object_set_new(a->calls, id, call = json_object());
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		json_t *value = json_object_get(update, keys[i]);
		if (value && !json_is_null(value))
			json_object_set(call, keys[i], value);
	}
}

static void take_call(struct acp *a, const json_t *update)
{
	const char *id = json_text_or(update, "toolCallId", "");
	const char *status = json_text_or(update, "status", "");
	const char *title = json_text_or(update, "title", json_text_or(update, "kind", ""));
	merge_call(a, id, update);
	if (str_equal(json_text_or(update, "sessionUpdate", ""), "tool_call"))
		cli_tool_start(a->tools, &a->sink, id, title);
	if (str_equal(status, "completed") || str_equal(status, "failed"))
		cli_tool_end(a->tools, &a->sink, id, str_equal(status, "failed"));
}

static void take_cost(struct acp *a, const json_t *update)
{
	const json_t *cost = json_object_get(update, "cost");
	const json_t *amount = json_object_get(cost, "amount");
	bool is_usd = str_equal(json_text_or(cost, "currency", ""), "USD");
	if (!is_usd || !json_is_number(amount) || !(json_number_value(amount) >= 0))
		return;
	a->usd = json_number_value(amount);
	a->has_usd = true;
}

static void take_update(struct acp *a, const json_t *params)
{
	const json_t *update = json_object_get(params, "update");
	const char *kind = json_text_or(update, "sessionUpdate", "");
	bool is_ours = str_equal(json_text_or(params, "sessionId", ""), a->session);
	if (!is_ours)
		return;
	if (str_equal(kind, "usage_update"))
		take_cost(a, update);
	if (a->open != ACP_PROMPT)
		return;
	if (str_equal(kind, "agent_message_chunk"))
		cli_say(&a->sink, CLI_TEXT, text_of(update));
	else if (str_equal(kind, "agent_thought_chunk"))
		cli_say(&a->sink, CLI_THINK, text_of(update));
	else if (str_equal(kind, "tool_call") || str_equal(kind, "tool_call_update"))
		take_call(a, update);
}

static void take_permission(struct acp *a, json_t *id, const json_t *params)
{
	const json_t *call = json_object_get(params, "toolCall");
	const char *call_id = json_text_or(call, "toolCallId", "");
	merge_call(a, call_id, call);
	const struct acp_question q = {
		.call = json_object_get(a->calls, call_id),
		.options = json_object_get(params, "options"),
		.workspace = a->setup->workspace,
		.allowed = a->setup->allowed,
		.nr_allowed = a->setup->nr_allowed,
	};
	const char *option = a->open == ACP_PROMPT && !a->is_cancelled ? acp_permission(&q) : NULL;
	json_t *outcome =
		option ? json_pack("{s:s, s:s}", "outcome", "selected", "optionId", option)
		       : json_pack("{s:s}", "outcome", "cancelled");
	respond(a, id, json_pack("{s:o}", "outcome", outcome));
}

static void take_request(struct acp *a, json_t *id, const char *method, const json_t *params)
{
	AUTO_FREE char *text = xasprintf("Method not found: %s", method);
	if (str_equal(method, "session/request_permission")) {
		take_permission(a, id, params);
		return;
	}
	cli_reply(&a->sink, json_pack("{s:s, s:O, s:{s:i, s:s}}", "jsonrpc", "2.0", "id", id,
				      "error", "code", NO_METHOD, "message", text));
}

void acp_take(struct acp *a, const json_t *msg)
{
	const char *method = json_text_or(msg, "method", NULL);
	json_t *id = json_object_get(msg, "id");
	const json_t *params = json_object_get(msg, "params");
	if (method && id && !json_is_null(id))
		take_request(a, id, method, params);
	else if (method && str_equal(method, "session/update"))
		take_update(a, params);
	else if (!method && id)
		take_answer(a, msg);
}
