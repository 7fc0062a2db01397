#include "mcp/mcp_in.h"

/* One tools/call from its params to the mailbox. What is wrong with the request itself (no such
 * tool, arguments that are no object) is an error of the protocol, which programs read; what is
 * wrong with the arguments is a result that says so, which models read and repair. */

#include <stdlib.h>
#include <string.h>

#include "agent/data_tools.h"
#include "agent/frame.h"
#include "agent/tool_table.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "mcp/fit.h"
#include "mcp/mcp_calls.h"
#include "mcp/mcp_turn.h"

/* A source or a curriculum; the mailbox takes no more. */
enum { MAX_TEXT_BYTES = 4 << 20 };

/* A tool's call on its way; `error` is what its caller is told instead. */
struct order {
	struct mcp *m;
	const struct mcp_ask *ask;
	const struct tool_spec *tool;
	json_t *args; /* owned */
	json_t *error;
};

static int refuse(struct order *o, const char *text)
{
	o->error = mcp_tool_error(text);
	return -1;
}

static int read_name(struct order *o, struct rpc_fault *f)
{
	const json_t *name = json_object_get(o->ask->params, "name");
	const json_t *args = json_object_get(o->ask->params, "arguments");
	if (!json_is_string(name))
		return rpc_fault_set(f, RPC_BAD_PARAMS, "tools/call: \"name\" must be a string");
	if (args && !json_is_object(args))
		return rpc_fault_set(f, RPC_BAD_PARAMS,
				     "tools/call: \"arguments\" must be an object");
	o->args = args ? json_deep_copy(args) : json_object();
	o->tool = mcp_find_tool(o->m, json_string_value(name), f);
	return o->tool ? 0 : -1;
}

static int check_args(struct order *o)
{
	struct err why = { 0 };
	if (rpc_has_nul(o->args))
		return refuse(o,
			      "a text in the arguments holds the character U+0000; leave it out");
	return tool_check(o->tool, o->args, &why) < 0 ? refuse(o, why.text) : 0;
}

/* The client may name a file that it can read in the place of a long text; this process has the
 * client's own rights. */
static int read_file_member(struct order *o)
{
	struct err why = { 0 };
	AUTO_STR struct str text = STR_INIT;
	const char *member = tool_text_member(o->tool);
	const char *path = json_text_or(o->args, "path", NULL);
	if (!member || !path)
		return 0;
	if (file_read(path, MAX_TEXT_BYTES, &text, &why) < 0)
		return refuse(o, why.text);
	json_t *value = json_stringn(text.text, text.len);
	if (!value || strlen(text.text) != text.len) {
		json_decref(value);
		return refuse(o, "\"path\" names a file that is no UTF-8 text");
	}
	json_object_set_new(o->args, member, value);
	json_object_del(o->args, "path");
	return 0;
}

/* It says which tools this turn has. */
static int check_turn(struct order *o, const struct mcp_turn *turn)
{
	AUTO_STR struct str names = STR_INIT;
	if (tool_fits(o->tool, turn->kind, false) && turn->id != o->m->answered_turn)
		return 0;
	if (turn->id == o->m->answered_turn)
		return refuse(o, o->m->spec.is_one_turn
					 ? "this turn is answered; end your work"
					 : "this turn is answered; call wait for the next one");
	tools_names(turn->kind, false, &names);
	AUTO_FREE char *text = xasprintf("%s does not fit a turn of kind %s; its tools are %s",
					 o->tool->name, turn_kind_name(turn->kind), names.text);
	return refuse(o, text);
}

/* Keep the call until its answer comes. */
static void begin(struct order *o, struct mcp_call *call)
{
	const json_t *meta = json_object_get(o->ask->params, "_meta");
	json_t *token = json_object_get(meta, "progressToken");
	call->tool = o->tool;
	call->args = take_ptr(&o->args);
	call->id = json_incref((json_t *)(uintptr_t)o->ask->id);
	call->token = json_is_string(token) || json_is_integer(token) ? json_incref(token) : NULL;
	call->era = o->ask->era;
	call->since_ns = call->told_ns = o->ask->now_ns;
	mcp_call_begin(o->m, call);
}

static int post(struct order *o, const struct mcp_turn *turn)
{
	struct err why = { 0 };
	struct mcp_call call = { .turn = turn->id };
	AUTO_JSON json_t *line = tool_to_line(o->tool, o->args);
	json_object_set_new(line, "turn", json_integer(turn->id));
	if (mailbox_post(o->m->spec.mailbox, line, call.mail, &why) < 0)
		return refuse(o, why.text);
	begin(o, &call);
	return 0;
}

/* The answer to a call that was left behind is there, or will be. */
static bool take_up_left(struct order *o)
{
	struct mcp_call *left = mcp_call_left(o->m, o->tool, o->args);
	if (!left)
		return false;
	struct mcp_call again = { .turn = left->turn };
	memcpy(again.mail, left->mail, sizeof(again.mail));
	left->mail[0] = 0;
	begin(o, &again);
	return true;
}

/* The data went through frame_data when the turn was written. */
static json_t *answer_from_data(const struct order *o, const struct mcp_turn *turn)
{
	json_t *answer = data_tool(o->tool, turn->data, o->args);
	bool is_done = str_equal(json_text_or(answer, "outcome", ""), "done");
	json_object_set_new(answer, "frame", json_string(frame_note));
	return mcp_tool_result(o->m, answer, !is_done);
}

static int do_in_turn(struct order *o, json_t **result)
{
	struct err why = { 0 };
	AUTO_MCP_TURN struct mcp_turn turn = { 0 };
	if (take_up_left(o))
		return 0;
	if (mcp_turn_load(&turn, o->m, &why) < 0)
		return refuse(o, why.text);
	if (check_turn(o, &turn) < 0)
		return -1;
	if (o->tool->place != TOOL_DATA)
		return post(o, &turn);
	*result = answer_from_data(o, &turn);
	return 0;
}

static int do_wait(struct order *o, json_t **result)
{
	struct mcp_call call = { .mail = "" };
	json_t *answer = mcp_wait_look(o->m);
	if (answer)
		*result = mcp_tool_result(o->m, answer, false);
	else
		begin(o, &call);
	return 0;
}

static int carry_out(struct order *o, json_t **result)
{
	if (o->m->nr_calls >= mcp_calls_max())
		return refuse(o, "too many calls are under way; wait for their answers");
	if (check_args(o) < 0 || read_file_member(o) < 0)
		return -1;
	return str_equal(o->tool->name, "wait") ? do_wait(o, result) : do_in_turn(o, result);
}

int mcp_call_tool(struct mcp *m, const struct mcp_ask *ask, json_t **result, struct rpc_fault *f)
{
	struct order o = { .m = m, .ask = ask };
	int rc = read_name(&o, f);
	if (rc == 0 && carry_out(&o, result) < 0)
		*result = o.error;
	json_decref(o.args);
	return rc;
}
