#include "mcp/mcp_in.h"

/* What the client is offered. A client in an agent's box lives for one turn and sees the tools of
 * that turn; one that outlives turns asks for the list once and is told all tools of its role, of
 * which a call that does not fit the turn at hand is refused by name. Tools for files stay out:
 * every such client has hands of its own. */

#include <string.h>

#include "agent/tool_table.h"
#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"
#include "mcp/mcp_turn.h"

static const enum turn_kind student_kinds[] = { TURN_ROUND, TURN_ABLATION, TURN_GOAL,
						TURN_GENERATE };
static const enum turn_kind teacher_kinds[] = { TURN_CURRICULUM, TURN_REVISION, TURN_JUDGE };

struct offer {
	const struct tool_spec *tools[TOOL_MAX];
	size_t nr;
};

static bool has_tool(const struct offer *o, const struct tool_spec *t)
{
	for (size_t i = 0; i < o->nr; i++)
		if (o->tools[i] == t)
			return true;
	return false;
}

static void add_kind(struct offer *o, enum turn_kind kind)
{
	const struct tool_spec *of_kind[TOOL_MAX];
	size_t nr = tools_for(kind, of_kind, TOOL_MAX);
	for (size_t i = 0; i < nr && o->nr < TOOL_MAX; i++)
		if (!has_tool(o, of_kind[i]))
			o->tools[o->nr++] = of_kind[i];
}

/* A client that outlives turns waits for them, in either role. */
static void offer_role(struct offer *o, enum agent_role role)
{
	const struct tool_spec *wait = tool_find("wait");
	bool is_student = role == AGENT_STUDENT;
	const enum turn_kind *kinds = is_student ? student_kinds : teacher_kinds;
	size_t nr = is_student ? ARRAY_LEN(student_kinds) : ARRAY_LEN(teacher_kinds);
	for (size_t i = 0; i < nr; i++)
		add_kind(o, kinds[i]);
	if (!has_tool(o, wait) && o->nr < TOOL_MAX)
		o->tools[o->nr++] = wait;
}

/* The list stays what it was when it was asked for first. */
static void note_kind(struct mcp *m)
{
	struct err ignored = { 0 };
	AUTO_MCP_TURN struct mcp_turn turn = { 0 };
	if (!m->spec.is_one_turn || m->has_kind || mcp_turn_load(&turn, m, &ignored) < 0)
		return;
	m->has_kind = true;
	m->kind = turn.kind;
}

static void make_offer(struct mcp *m, struct offer *o)
{
	note_kind(m);
	if (m->has_kind)
		add_kind(o, m->kind);
	else
		offer_role(o, m->spec.role);
}

/* Nothing that a tool does leaves the run, and only an answer changes anything in it. */
static json_t *annotations(const struct tool_spec *t)
{
	return json_pack("{s:b, s:b, s:b, s:b}", "readOnlyHint", !t->is_answer, "idempotentHint",
			 !t->is_answer, "destructiveHint", 0, "openWorldHint", 0);
}

static const char wait_description[] =
	"Wait until the next turn is open or the run has ended, max_s seconds at most (45 when it "
	"is "
	"more or not given), and tell what the last candidate measured. \"running\" is a normal "
	"answer: call it again.";

static json_t *tool_json(const struct mcp *m, const struct tool_spec *t)
{
	bool is_wait = str_equal(t->name, "wait") && !m->spec.is_one_turn;
	const char *description = is_wait ? wait_description : t->description;
	struct err why = { 0 };
	json_t *schema = json_read_text(t->schema, strlen(t->schema), t->name, &why);
	if (!schema)
		BUG("schema of tool %s: %s", t->name, why.text);
	return json_pack("{s:s, s:s, s:o, s:{s:s}, s:o}", "name", t->name, "description",
			 description, "inputSchema", schema, "outputSchema", "type", "object",
			 "annotations", annotations(t));
}

int mcp_list_tools(struct mcp *m, const struct mcp_ask *ask, json_t **result, struct rpc_fault *f)
{
	struct offer o = { .nr = 0 };
	json_t *list = json_array();
	(void)ask;
	(void)f;
	make_offer(m, &o);
	for (size_t i = 0; i < o.nr; i++)
		json_array_append_new(list, tool_json(m, o.tools[i]));
	*result = json_pack("{s:o}", "tools", list);
	return 0;
}

const struct tool_spec *mcp_find_tool(struct mcp *m, const char *name, struct rpc_fault *f)
{
	struct offer o = { .nr = 0 };
	AUTO_STR struct str names = STR_INIT;
	make_offer(m, &o);
	for (size_t i = 0; i < o.nr; i++) {
		if (str_equal(o.tools[i]->name, name))
			return o.tools[i];
		str_addf(&names, "%s%s", i ? ", " : "", o.tools[i]->name);
	}
	rpc_fault_set(f, RPC_BAD_PARAMS, "unknown tool: %.64s; there are %s", name, names.text);
	return NULL;
}
