#include "cmd/cmd.h"

/* The control arm: what the same agent does with the same budget before the same judge, when nobody
 * tells it how. */

#include "base/err.h"
#include "base/mem.h"
#include "cmd/accept.h"
#include "cmd/drive.h"
#include "engine/engine.h"

int cmd_goal(const struct cmd_call *call, struct err *e)
{
	int code = 0;
	bool is_json = false;
	const char *run_dir = NULL;
	int64_t seed = 0;
	const char *accepted = NULL;
	const struct opt rows[] = {
		{ 0, "accept", OPT_TEXT, "LACK,...", ACCEPT_HELP, &accepted },
		{ 0, "dir", OPT_TEXT, "RUNDIR", "where; .artifacts/NAME_DATE-xxxx", &run_dir },
		{ 0, "seed", OPT_COUNT, "N", "of the run; drawn when not given", &seed },
		{ 0, "json", OPT_FLAG, NULL, "one JSON object a line, as it happens", &is_json },
	};
	AUTO_STRV struct strv rest = { 0 };
	AUTO_STR struct str made = STR_INIT;
	if (!cmd_parse(call, OPT_TABLE(rows), &rest, &code, e))
		return code;
	if (accept_check(accepted, e) < 0)
		return -1;
	const struct engine_new spec = { .task_dir = rest.items[0],
					 .run_dir = run_dir,
					 .seed = (uint64_t)seed,
					 .is_control = true };
	if (drive_new(&spec, is_json, &made, e) < 0)
		return -1;
	return drive_run(made.text, is_json, accepted, e);
}
