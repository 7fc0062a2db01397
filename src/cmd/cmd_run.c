#include "cmd/cmd.h"

/* Drive a run to its end. A task directory is welcome too: then a fresh run directory is made
 * first, so that one command is enough. */

#include "base/err.h"
#include "base/mem.h"
#include "cmd/drive.h"
#include "cmd/need_run.h"
#include "engine/engine.h"
#include "store/rundir.h"

/* The operand as a run directory; a task becomes one. */
static int find_run(const char *operand, bool is_json, struct str *run_dir, struct err *e)
{
	if (rundir_is_run(operand) || !is_task_dir(operand)) {
		str_add(run_dir, operand);
		return need_run(operand, e);
	}
	const struct engine_new spec = { .task_dir = operand };
	return drive_new(&spec, is_json, run_dir, e);
}

int cmd_run(const struct cmd_call *call, struct err *e)
{
	int code = 0;
	bool is_json = false;
	const struct opt rows[] = {
		{ 0, "json", OPT_FLAG, NULL, "one JSON object a line, as it happens", &is_json },
	};
	AUTO_STRV struct strv rest = { 0 };
	AUTO_STR struct str run_dir = STR_INIT;
	if (!cmd_parse(call, OPT_TABLE(rows), &rest, &code, e))
		return code;
	if (find_run(rest.items[0], is_json, &run_dir, e) < 0)
		return -1;
	return drive_run(run_dir.text, is_json, e);
}
