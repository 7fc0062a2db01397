#include "cmd/cmd.h"

/* Runs against control arms. With --time the two kernels of each pair are measured in one job on
 * this machine, which is narrower than two ratios over the reference. */

#include <stdio.h>

#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "cmd/hand.h"
#include "cmd/need_run.h"
#include "cmd/term.h"
#include "report/comparison.h"
#include "store/rundir.h"

/* What the run leaves its user with. */
static char *kernel_of(const struct compare_run *run)
{
	const struct state_confirm *c = &run->state.confirm;
	return rundir_path(run->dir,
			   c->is_confirmed ? RUNDIR_BEST_KERNEL : RUNDIR_REFERENCE_SOURCE);
}

static int time_pair(struct compare_pair *pair, struct err *e)
{
	AUTO_FREE char *harness = kernel_of(pair->harness);
	AUTO_FREE char *control = kernel_of(pair->control);
	const struct engine_hand hand = { .task_dir = pair->harness->dir,
					  .reference = control,
					  .candidate = harness,
					  .kind = JOB_TIME,
					  .replicates = 16,
					  .held_out = true };
	AUTO_ENGINE_ANSWER struct engine_answer answer = { 0 };
	if (hand_run(&hand, &answer, e) < 0)
		return err_wrap(e, "time %s against %s", harness, control);
	if (!answer.estimate.call)
		return err_set(e, ERR_CHILD, "%s: judged wrong today; forge verify %s says more",
			       harness, pair->harness->dir);
	compare_set_direct(pair, &answer.estimate);
	return 0;
}

static int time_all(struct compare *c, struct err *e)
{
	for (size_t i = 0; i < c->nr_pairs; i++)
		if (time_pair(&c->pairs[i], e) < 0)
			return -1;
	return 0;
}

static int need_runs(const struct strv *dirs, struct err *e)
{
	for (size_t i = 0; i < dirs->nr; i++)
		if (need_run(dirs->items[i], e) < 0)
			return -1;
	return 0;
}

static void print_answer(const struct compare *c, bool is_json)
{
	AUTO_STR struct str out = STR_INIT;
	AUTO_JSON json_t *json = compare_json(c);
	compare_text(c, &out);
	if (is_json)
		hand_print_json(json);
	else
		term_put(out.text);
}

int cmd_compare(const struct cmd_call *call, struct err *e)
{
	int code = 0;
	bool is_json = false;
	bool is_timed = false;
	const struct opt rows[] = {
		{ 0, "time", OPT_FLAG, NULL, "measure both kernels of each pair in one job (K=16)",
		  &is_timed },
		{ 0, "json", OPT_FLAG, NULL, "one JSON object", &is_json },
	};
	AUTO_STRV struct strv rest = { 0 };
	AUTO_COMPARE struct compare c = { 0 };
	if (!cmd_parse(call, OPT_TABLE(rows), &rest, &code, e))
		return code;
	if (need_runs(&rest, e) < 0 ||
	    compare_load(&c, (const char *const *)rest.items, rest.nr, e) < 0 ||
	    (is_timed && time_all(&c, e) < 0))
		return -1;
	compare_conclude(&c);
	print_answer(&c, is_json);
	return 0;
}
