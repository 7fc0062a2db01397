#include "cmd/cmd.h"

/* A turn without a result: the row is handed back, or the role gives up. */

#include "agent/mailbox.h"
#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"
#include "cmd/hand_turn.h"

/* Only a row can be handed back. */
static bool is_row(const json_t *turn)
{
	const char *kind = json_text_or(turn, "kind", "");
	return str_equal(kind, "round") || str_equal(kind, "ablation");
}

int cmd_yield(const struct cmd_call *call, struct err *e)
{
	int code = 0;
	bool gives_up = false;
	struct hand_turn h = { .timeout_s = HAND_TURN_TIMEOUT_S };
	const struct opt rows[] = {
		{ 0, "give-up", OPT_FLAG, NULL, "give up; a row is handed back without it",
		  &gives_up },
		{ 0, "role", OPT_TEXT, "ROLE", HAND_TURN_ROLE_HELP, &h.role },
		{ 0, "timeout", OPT_REAL, "S", HAND_TURN_TIMEOUT_HELP, &h.timeout_s },
		{ 0, "json", OPT_FLAG, NULL, "what forge says to it, one JSON object", &h.is_json },
	};
	AUTO_STRV struct strv rest = { 0 };
	AUTO_STR struct str dir = STR_INIT;
	AUTO_JSON json_t *turn = NULL;
	if (!cmd_parse(call, OPT_TABLE(rows), &rest, &code, e))
		return code;
	h.run = rest.nr > 1 ? rest.items[0] : NULL;
	if (hand_turn_check_role(h.role, e) < 0 || hand_turn_find(h.run, h.role, &dir, e) < 0 ||
	    mailbox_turn(dir.text, &turn, e) < 0)
		return -1;
	AUTO_JSON json_t *args = json_pack("{s:s}", "reason", rest.items[rest.nr - 1]);
	if (!args)
		return err_set(e, ERR_USAGE, "the reason is not UTF-8");
	h.role = json_text_or(turn, "role", h.role);
	h.tool = gives_up || !is_row(turn) ? "give_up" : "handback";
	h.args = args;
	return hand_turn_answer(&h, e);
}
