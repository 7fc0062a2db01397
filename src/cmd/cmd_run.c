#include "cmd/cmd.h"

/* Drive a run to its end. A task directory is welcome too: then a fresh run directory is made
 * first, so that one command is enough. */

#include <stdio.h>

#include "base/err.h"
#include "base/mem.h"
#include "cmd/accept.h"
#include "cmd/drive.h"
#include "cmd/need_run.h"
#include "cmd/plan_text.h"
#include "cmd/term.h"
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

static int print_plan(const char *operand, struct err *e)
{
	AUTO_PLAN struct plan p = { 0 };
	bool is_run = rundir_is_run(operand);
	if ((is_run ? engine_plan_rest(operand, &p, e) : engine_plan(operand, &p, e)) < 0)
		return -1;
	plan_print(&p);
	term_print("nothing was done; without --dry-run the run %s\n",
		   is_run ? "goes on" : "is made");
	return 0;
}

int cmd_run(const struct cmd_call *call, struct err *e)
{
	int code = 0;
	bool is_json = false;
	bool is_dry = false;
	const char *accepted = NULL;
	const struct opt rows[] = {
		{ 0, "accept", OPT_TEXT, "LACK,...", ACCEPT_HELP, &accepted },
		{ 0, "dry-run", OPT_FLAG, NULL, "what is left at worst; touches nothing", &is_dry },
		{ 0, "json", OPT_FLAG, NULL, "one JSON object a line, as it happens", &is_json },
	};
	AUTO_STRV struct strv rest = { 0 };
	AUTO_STR struct str run_dir = STR_INIT;
	if (!cmd_parse(call, OPT_TABLE(rows), &rest, &code, e))
		return code;
	if (accept_check(accepted, e) < 0)
		return -1;
	if (is_dry)
		return print_plan(rest.items[0], e);
	if (find_run(rest.items[0], is_json, &run_dir, e) < 0)
		return -1;
	return drive_run(run_dir.text, is_json, accepted, e);
}
