#include "mcp/mcp_turn.h"

#include "agent/mailbox.h"
#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"
#include "mcp/mcp.h"

/* No turn, in words that tell the client what to do. */
static int say_none(const struct mcp *m, struct err *e)
{
	struct err ignored = { 0 };
	json_t *loaded = NULL;
	if (mailbox_state(m->spec.mailbox, &loaded, &ignored) < 0)
		return err_set(e, ERR_INPUT,
			       "no turn is open: nothing is in the mailbox; start `forge run` on "
			       "a run whose %s is \"manual\"",
			       agent_role_name(m->spec.role));
	AUTO_JSON json_t *state = loaded;
	if (str_equal(json_text_or(state, "state", ""), "ended"))
		return err_set(e, ERR_INPUT, "no turn is open: the run has ended");
	if (m->spec.is_one_turn)
		return err_set(e, ERR_INPUT, "no turn is open: this one is over; end your work");
	return err_set(e, ERR_INPUT,
		       "no turn is open: forge is at work, or `forge run` was stopped; call wait");
}

int mcp_turn_load(struct mcp_turn *t, const struct mcp *m, struct err *e)
{
	struct err ignored = { 0 };
	*t = (struct mcp_turn){ .json = NULL };
	if (mailbox_turn(m->spec.mailbox, &t->json, &ignored) < 0 || !t->json)
		return say_none(m, e);
	t->id = json_int_or(t->json, "id", 0);
	t->data = json_object_get(t->json, "data");
	if (turn_kind_parse(json_text_or(t->json, "kind", ""), &t->kind))
		return 0;
	mcp_turn_release(t);
	return err_set(e, ERR_INPUT, "turn.json: its kind is unknown; is forge newer than this?");
}

void mcp_turn_release(struct mcp_turn *t)
{
	json_decref(t->json);
	*t = (struct mcp_turn){ .json = NULL };
}
