#include "cmd/cmd.h"

/* The teacher's answer by hand: a curriculum, or what else the turn asks for. */

#include "agent/mailbox.h"
#include "agent/tool_table.h"
#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"
#include "cmd/hand_turn.h"

/* What the open turn asks for. */
static int choose_tool(struct hand_turn *h, const char **member, struct err *e)
{
	AUTO_STR struct str dir = STR_INIT;
	AUTO_JSON json_t *turn = NULL;
	if (hand_turn_find(h->run, h->role, &dir, e) < 0 || mailbox_turn(dir.text, &turn, e) < 0)
		return -1;
	enum turn_kind kind;
	bool is_known = turn_kind_parse(json_text_or(turn, "kind", ""), &kind);
	const struct tool_spec *tool = is_known ? tool_answering(kind) : NULL;
	if (!tool)
		return err_set(e, ERR_INPUT,
			       "turn.json: its kind is unknown; is forge newer than this?");
	h->tool = tool->name;
	*member = tool_text_member(tool);
	return 0;
}

int cmd_publish(const struct cmd_call *call, struct err *e)
{
	int code = 0;
	const char *member = NULL;
	struct hand_turn h = { .role = "teacher", .timeout_s = HAND_TURN_TIMEOUT_S };
	const struct opt rows[] = {
		{ 0, "timeout", OPT_REAL, "S", HAND_TURN_TIMEOUT_HELP, &h.timeout_s },
		{ 0, "json", OPT_FLAG, NULL, "what forge says to it, one JSON object", &h.is_json },
	};
	AUTO_STRV struct strv rest = { 0 };
	AUTO_JSON json_t *args = json_object();
	if (!cmd_parse(call, OPT_TABLE(rows), &rest, &code, e))
		return code;
	h.run = rest.nr > 1 ? rest.items[0] : NULL;
	h.args = args;
	AUTO_JSON json_t *text = hand_turn_text(rest.items[rest.nr - 1], e);
	if (!text || choose_tool(&h, &member, e) < 0)
		return -1;
	json_object_set(args, member, text);
	return hand_turn_answer(&h, e);
}
