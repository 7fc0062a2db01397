#include "cmd/cmd.h"

/* Where a run stands, read from its log; also while another forge works on it. */

#include <stdio.h>

#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"
#include "cmd/hand.h"
#include "cmd/need_run.h"
#include "cmd/term.h"
#include "report/status.h"
#include "store/fold.h"

int cmd_status(const struct cmd_call *call, struct err *e)
{
	int code = 0;
	bool is_json = false;
	const struct opt rows[] = {
		{ 0, "json", OPT_FLAG, NULL, "one JSON object", &is_json },
	};
	AUTO_STRV struct strv rest = { 0 };
	if (!cmd_parse(call, OPT_TABLE(rows), &rest, &code, e))
		return code;
	AUTO_RUN_STATE struct run_state state = { 0 };
	if (need_run(rest.items[0], e) < 0 || run_state_load(&state, rest.items[0], e) < 0)
		return -1;
	AUTO_STR struct str out = STR_INIT;
	AUTO_JSON json_t *json = status_json(&state, rest.items[0]);
	if (is_json)
		hand_print_json(json);
	else
		status_text(&state, rest.items[0], &out);
	term_put(out.text);
	return 0;
}
