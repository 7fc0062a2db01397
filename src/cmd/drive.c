#include "cmd/drive.h"

/* With --json nothing but JSON lines goes to stdout. */

#include <stdio.h>
#include <unistd.h>

#include "base/err.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "cmd/cmd.h"
#include "cmd/hand.h"
#include "cmd/host_pick.h"
#include "cmd/live.h"
#include "cmd/price_table.h"
#include "cmd/run_outcome.h"
#include "cmd/term.h"
#include "engine/engine.h"
#include "model/prices.h"
#include "report/report.h"
#include "report/text.h"
#include "store/rundir.h"

static int write_report(void *ctx, const char *run_dir, struct strv *paths, struct err *e)
{
	(void)ctx;
	return report_write(run_dir, paths, e);
}

int drive_new(const struct engine_new *spec, bool is_json, struct str *run_dir, struct err *e)
{
	if (engine_new_run(spec, run_dir, e) < 0)
		return -1;
	if (!is_json)
		term_print("made run %s\n", run_dir->text);
	fflush(stdout);
	return 0;
}

static void print_place(const char *label, const char *run_dir, enum rundir_part part)
{
	AUTO_FREE char *path = rundir_path(run_dir, part);
	if (access(path, R_OK) == 0)
		term_print("%-8s%s\n", label, path);
}

static void print_speedup(const struct run_state *s)
{
	AUTO_STR struct str text = STR_INIT;
	const struct state_estimate *estimate = &s->confirm.estimate;
	if (!estimate->call)
		return;
	text_speedup(estimate, &text);
	term_print(", %s over the reference, %s by K=%u", text.text,
		   s->confirm.is_confirmed ? "confirmed" : "not confirmed", estimate->replicates);
}

static int print_end(const char *run_dir, enum engine_outcome outcome, struct err *e)
{
	AUTO_RUN_STATE struct run_state state = { 0 };
	if (run_state_load(&state, run_dir, e) < 0)
		return -1;
	term_print("%s", outcome_name(outcome));
	if (outcome == ENGINE_INTERRUPTED) {
		term_print("; 'forge run %s' goes on\n", run_dir);
		return 0;
	}
	print_speedup(&state);
	if (state.end_reason && outcome != ENGINE_GOAL_MET)
		term_print(": %s", state.end_reason);
	term_print("\n");
	print_place("report", run_dir, RUNDIR_REPORT_HTML);
	print_place("", run_dir, RUNDIR_REPORT_MD);
	print_place("best", run_dir, RUNDIR_BEST_KERNEL);
	return 0;
}

void drive_say_undone(const char *command, const char *dir, const struct err *e)
{
	if (e->kind == ERR_SYSTEM || e->kind == ERR_REMOTE || e->kind == ERR_TIMEOUT)
		log_info("what was recorded is kept; once that is mended, 'forge %s %s' goes on",
			 command, dir);
}

static void print_end_json(const char *run_dir, enum engine_outcome outcome)
{
	AUTO_JSON json_t *obj = json_object();
	json_object_set_new(obj, "type", json_string("outcome"));
	json_object_set_new(obj, "outcome", json_string(outcome_name(outcome)));
	json_object_set_new(obj, "exit", json_integer(outcome_code(outcome)));
	json_object_set_new(obj, "run", json_string(run_dir));
	hand_print_json(obj);
}

static int drive(const char *run_dir, bool is_json, const char *accepted,
		 enum engine_outcome *outcome, struct err *e)
{
	AUTO_PRICES struct prices prices = { 0 };
	if (price_table_load(&prices, e) < 0)
		return -1;
	struct engine_host host = { .accept_weak_sandbox = true, .accepted = accepted };
	if (host_pick(&host, e) < 0)
		return -1;
	AUTO_LIVE struct live live;
	live_init(&live, is_json);
	const struct engine_hooks hooks = {
		.ctx = &live,
		.see_event = live_see_event,
		.see_progress = live_see_progress,
		.see_wait = live_see_wait,
		.see_agent = live_see_agent,
		.write_report = write_report,
		.prices = &prices,
		.stop_signal = stop_signal_install(),
	};
	return engine_run(run_dir, &host, &hooks, outcome, e);
}

int drive_run(const char *run_dir, bool is_json, const char *accepted, struct err *e)
{
	enum engine_outcome outcome = ENGINE_INTERRUPTED;
	if (drive(run_dir, is_json, accepted, &outcome, e) < 0) {
		drive_say_undone("run", run_dir, e);
		return -1;
	}
	if (is_json)
		print_end_json(run_dir, outcome);
	else if (print_end(run_dir, outcome, e) < 0)
		return -1;
	return outcome_code(outcome);
}
