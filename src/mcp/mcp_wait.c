#include "mcp/mcp_calls.h"

/* What a client waits for after its answer: the verdict, which is the state's `last`, and the next
 * turn. A client in an agent's box sees neither: its next turn is another process. */

#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"
#include "mcp/mcp_turn.h"

static json_t *say(const json_t *state, const char *text)
{
	return json_pack("{s:s, s:s, s:s*, s:O*, s:O*}", "outcome", "done", "text", text, "state",
			 json_text_or(state, "state", NULL), "round",
			 json_object_get(state, "round"), "last", json_object_get(state, "last"));
}

/* An open turn that was not answered from here. */
static json_t *say_turn(const struct mcp *m, const json_t *state, const struct mcp_turn *turn)
{
	json_t *said = say(state, m->spec.role == AGENT_STUDENT
					  ? "a turn is open; call decision for what it asks"
					  : "a turn is open; call task, and digest in a revision");
	json_object_set_new(said, "turn", json_integer(turn->id));
	json_object_set_new(said, "kind", json_string(turn_kind_name(turn->kind)));
	if (m->refused)
		json_object_set_new(said, "refused", json_string(m->refused));
	return said;
}

json_t *mcp_wait_look(const struct mcp *m)
{
	struct err ignored = { 0 };
	json_t *loaded = NULL;
	AUTO_MCP_TURN struct mcp_turn turn = { 0 };
	if (mailbox_state(m->spec.mailbox, &loaded, &ignored) < 0)
		return NULL;
	AUTO_JSON json_t *state = loaded;
	if (str_equal(json_text_or(state, "state", ""), "ended"))
		return say(state, "the run has ended");
	if (m->spec.is_one_turn)
		return say(state,
			   "the verdict comes with the next turn; end your work in this one");
	if (mcp_turn_load(&turn, m, &ignored) < 0 || turn.id == m->answered_turn)
		return NULL;
	return say_turn(m, state, &turn);
}
