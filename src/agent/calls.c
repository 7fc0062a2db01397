#include "agent/calls.h"

/* A model mends what it is told: so every refusal names the member and the cure, and nothing is
 * mended in its place. */

#include "agent/agent.h"
#include "agent/agent_ops.h"
#include "agent/answer.h"
#include "agent/data_tools.h"
#include "agent/file_tools.h"
#include "agent/tool_table.h"
#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/untrusted.h"

struct call {
	const struct agent_spec *spec;
	const struct agent_turn *turn;
	struct agent_answer *answer;
	const struct tool_spec *tool;
	json_t *args;
	bool has_answer;
};

static json_t *outcome(const char *name, const char *text)
{
	AUTO_STR struct str shown = STR_INIT;
	untrusted_block(&shown, text, 0);
	return json_pack("{s:s, s:s}", "outcome", name, "text", shown.text);
}

static struct call_end bad(const char *name, const char *text)
{
	return (struct call_end){ .said = outcome(name, text), .is_bad = true };
}

static struct call_end refuse_unknown(const struct call *c, const char *name)
{
	AUTO_STR struct str text = STR_INIT;
	str_addf(&text, "there is no tool \"%.60s\" in this turn; there are: ", name);
	tools_names(c->turn->kind, c->spec->ops->needs_file_tools, &text);
	return bad("refused", text.text);
}

static json_t *args_of(const json_t *call)
{
	json_t *args = json_deep_copy(call);
	json_object_del(args, "type");
	json_object_del(args, "tool");
	json_object_del(args, "id");
	return args;
}

/* "path" in the place of a text: the file's text takes its place. */
static int read_path(struct call *c, struct err *e)
{
	AUTO_STR struct str text = STR_INIT;
	const char *member = tool_text_member(c->tool);
	const char *path = json_text_or(c->args, "path", NULL);
	if (!member || !path || json_object_get(c->args, member))
		return 0;
	if (file_tool_text(c->spec->workspace, path, &text, e) < 0)
		return err_wrap(e, "%s: \"path\"", c->tool->name);
	json_t *value = json_stringn(text.text, text.len);
	if (!value)
		return err_set(e, ERR_INPUT, "%s: \"path\": %.100s is not UTF-8", c->tool->name,
			       path);
	json_object_del(c->args, "path");
	json_object_set_new(c->args, member, value);
	return 0;
}

static struct call_end give_answer(const struct call *c, const json_t *line)
{
	struct err why = { 0 };
	if (c->has_answer)
		return (struct call_end){ .said = outcome("refused",
							  "this turn has its answer; it is over") };
	if (answer_take(c->answer, c->turn->kind, line, &why) < 0)
		return bad("malformed", why.text);
	return (struct call_end){ .said = outcome("accepted", "this is the answer of the turn"),
				  .is_accepted = true };
}

static json_t *ask_engine(const struct call *c, const json_t *line)
{
	if (!c->spec->call_tool)
		return outcome("refused", "nothing can be measured in this turn");
	return c->spec->call_tool(c->spec->ctx, line);
}

static struct call_end act(const struct call *c)
{
	AUTO_JSON json_t *line = tool_to_line(c->tool, c->args);
	struct call_end end = { .said = NULL };
	switch (c->tool->place) {
	case TOOL_ANSWER:
		return give_answer(c, line);
	case TOOL_DATA:
		end.said = data_tool(c->tool, c->turn->data, c->args);
		break;
	case TOOL_FILES:
		end.said = file_tool(c->tool, c->spec->workspace, c->args);
		break;
	case TOOL_ENGINE:
		end.said = ask_engine(c, line);
		break;
	}
	return end;
}

struct call_end call_take(const struct agent_spec *spec, const struct agent_turn *turn,
			  struct agent_answer *answer, bool has_answer, const json_t *call)
{
	struct err why = { 0 };
	const char *name = json_text_or(call, "tool", "");
	AUTO_JSON json_t *args = args_of(call);
	struct call c = { .spec = spec,
			  .turn = turn,
			  .answer = answer,
			  .tool = tool_find(name),
			  .args = args,
			  .has_answer = has_answer };
	if (!c.tool || !tool_fits(c.tool, turn->kind, spec->ops->needs_file_tools))
		return refuse_unknown(&c, name);
	if (read_path(&c, &why) < 0 || tool_check(c.tool, args, &why) < 0)
		return bad("malformed", why.text);
	return act(&c);
}
