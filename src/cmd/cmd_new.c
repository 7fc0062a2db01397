#include "cmd/cmd.h"

/* Freeze a task into a run directory, or print what a run of it would do at worst. No option can
 * change the problem: that is what editing the task is for. */

#include <stdio.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "cmd/plan_text.h"
#include "cmd/term.h"
#include "engine/engine.h"

static int print_plan(const char *task_dir, struct err *e)
{
	AUTO_PLAN struct plan p = { 0 };
	if (engine_plan(task_dir, &p, e) < 0)
		return -1;
	plan_print(&p);
	term_print("nothing was made; without --dry-run this becomes a run directory\n");
	return 0;
}

int cmd_new(const struct cmd_call *call, struct err *e)
{
	int code = 0;
	bool is_dry = false;
	const char *run_dir = NULL;
	int64_t seed = 0;
	const struct opt rows[] = {
		{ 0, "dry-run", OPT_FLAG, NULL, "print the plan, touch nothing", &is_dry },
		{ 0, "dir", OPT_TEXT, "RUNDIR", "where; .artifacts/NAME_DATE-xxxx", &run_dir },
		{ 0, "seed", OPT_COUNT, "N", "of the run; drawn when not given", &seed },
	};
	AUTO_STRV struct strv rest = { 0 };
	AUTO_STR struct str made = STR_INIT;
	if (!cmd_parse(call, OPT_TABLE(rows), &rest, &code, e))
		return code;
	if (is_dry)
		return print_plan(rest.items[0], e);
	const struct engine_new spec = { .task_dir = rest.items[0],
					 .run_dir = run_dir,
					 .seed = (uint64_t)seed };
	if (engine_new_run(&spec, &made, e) < 0)
		return -1;
	term_print("made run %s\n", made.text);
	term_print("  forge run %s\n", made.text);
	return 0;
}
