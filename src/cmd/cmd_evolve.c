#include "cmd/cmd.h"

/* A chain of generations, from a task or from where an earlier call left off. Each generation's run
 * shows itself as forge run does; the chain adds a line where it decides. */

#include <stdio.h>
#include <unistd.h>

#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"
#include "cmd/accept.h"
#include "cmd/drive.h"
#include "cmd/event_json.h"
#include "cmd/hand.h"
#include "cmd/host_pick.h"
#include "cmd/live.h"
#include "cmd/run_outcome.h"
#include "cmd/plan_text.h"
#include "cmd/price_table.h"
#include "cmd/term.h"
#include "engine/evolve.h"
#include "model/prices.h"
#include "report/chain_report.h"
#include "report/report.h"
#include "report/text.h"
#include "store/chain_state.h"
#include "store/chaindir.h"
#include "store/eventlog.h"
#include "store/rundir.h"

struct evolve_call {
	bool is_dry;
	bool is_json;
	double step;
	double hours;
	const char *dir;
	const char *accepted;
};

static int write_run_report(void *ctx, const char *run_dir, struct strv *paths, struct err *e)
{
	(void)ctx;
	return report_write(run_dir, paths, e);
}

static int write_chain_report(void *ctx, const char *chain_dir, struct strv *paths, struct err *e)
{
	(void)ctx;
	return chain_report_write(chain_dir, paths, e);
}

static void print_line(const struct event *event, const struct chain_state *s)
{
	const struct chain_generation *g = chain_state_last(s);
	AUTO_STR struct str speedup = STR_INIT;
	if (event->type == EVENT_generation_started) {
		term_print("generation %u: %s\n", g->number, g->task);
	} else if (event->type == EVENT_direct_timed) {
		text_speedup(&g->direct, &speedup);
		term_print(
			"generation %u directly over generation 0: %s %s, judge of generation 0: "
			"%s\n",
			g->number, speedup.text, text_call(&g->direct),
			reason_name(g->verdict.reason));
	} else if (event->type == EVENT_generation_decided) {
		term_print("%s\n", g->decision);
	}
	fflush(stdout);
}

static void see_chain(void *ctx, const struct event *event, const struct chain_state *state)
{
	const struct evolve_call *how = ctx;
	if (!how->is_json) {
		print_line(event, state);
		return;
	}
	AUTO_JSON json_t *json = event_json(event);
	hand_print_json(json);
	fflush(stdout);
}

static void print_place(const char *label, const char *dir, enum chaindir_part part)
{
	AUTO_FREE char *path = chaindir_path(dir, part);
	if (access(path, R_OK) == 0)
		term_print("%-8s%s\n", label, path);
}

static void print_head(const struct chain_state *s)
{
	const struct chain_generation *best = chain_state_best(s);
	AUTO_STR struct str text = STR_INIT;
	if (!best)
		return;
	text_speedup(&best->direct, &text);
	term_print(", %s over generation 0 by generation %u, timed directly by K=%u", text.text,
		   best->number, best->direct.replicates);
}

static int print_end(const char *dir, enum engine_outcome outcome, struct err *e)
{
	AUTO_CHAIN_STATE struct chain_state s = { 0 };
	if (chain_state_load(&s, dir, e) < 0)
		return -1;
	term_print("%s", outcome_name(outcome));
	if (outcome == ENGINE_INTERRUPTED) {
		term_print("; 'forge evolve %s' goes on\n", dir);
		return 0;
	}
	print_head(&s);
	term_print("\n");
	term_print("%s\n", s.end_reason);
	print_place("report", dir, CHAINDIR_REPORT_HTML);
	print_place("", dir, CHAINDIR_REPORT_MD);
	print_place("best", dir, CHAINDIR_BEST_KERNEL);
	return 0;
}

static void print_end_json(const char *dir, enum engine_outcome outcome)
{
	AUTO_JSON json_t *obj =
		json_pack("{s:s, s:s, s:i, s:s}", "type", "outcome", "outcome",
			  outcome_name(outcome), "exit", outcome_code(outcome), "chain", dir);
	hand_print_json(obj);
}

static int drive(const char *dir, struct evolve_call *how, enum engine_outcome *outcome,
		 struct err *e)
{
	AUTO_PRICES struct prices prices = { 0 };
	if (price_table_load(&prices, e) < 0)
		return -1;
	struct engine_host host = { .accept_weak_sandbox = true, .accepted = how->accepted };
	if (host_pick(&host, e) < 0)
		return -1;
	AUTO_LIVE struct live live;
	live_init(&live, how->is_json);
	const struct evolve_hooks hooks = {
		.run = { .ctx = &live,
			 .see_event = live_see_event,
			 .see_progress = live_see_progress,
			 .see_wait = live_see_wait,
			 .see_agent = live_see_agent,
			 .write_report = write_run_report,
			 .prices = &prices,
			 .stop_signal = stop_signal_install() },
		.ctx = how,
		.see_event = see_chain,
		.write_report = write_chain_report,
	};
	return evolve_run(dir, &host, &hooks, outcome, e);
}

static int print_plan(const char *task_dir, const struct evolve_call *how, struct err *e)
{
	AUTO_PLAN struct plan p = { 0 };
	if (engine_plan(task_dir, &p, e) < 0)
		return -1;
	term_print("generation 0:\n");
	plan_print(&p);
	AUTO_STR struct str text = STR_INIT;
	str_addf(&text,
		 "every further generation: at most the same again, and one job (K=16) that times "
		 "its "
		 "best against generation 0;\n"
		 "its reference is the best of the one before, its goal %.4g×\n"
		 "no further generation follows\n"
		 "  after one without a confirmed best,\n"
		 "  after one whose gain is not above the noise floor (%.4g %% at least)",
		 how->step > 0 ? how->step : EVOLVE_STEP, 100 * EVOLVE_MIN_FLOOR);
	if (how->hours > 0)
		str_addf(&text, ",\n  once the generations have taken %.4g h together", how->hours);
	term_put(text.text);
	term_print("\n");
	term_print("nothing was made; without --dry-run this becomes a chain's directory\n");
	return 0;
}

/* The step and the budget of a chain that exists are frozen in its log. */
static int refuse_settings(const char *dir, const struct evolve_call *how, struct err *e)
{
	if (how->step > 0 || how->hours > 0 || how->dir)
		return err_set(
			e, ERR_USAGE,
			"evolve: %s is a chain already; --step, --budget and --dir belong to "
			"a new one",
			dir);
	if (how->is_dry)
		return err_set(e, ERR_USAGE, "evolve: --dry-run wants a task, %s is a chain", dir);
	return 0;
}

static int check_settings(const struct evolve_call *how, struct err *e)
{
	if (how->step > 0 && !(how->step > 1))
		return err_set(e, ERR_USAGE, "evolve: --step must be above 1, as in 1.05");
	return 0;
}

static int make_chain(const char *task_dir, const struct evolve_call *how, struct str *dir,
		      struct err *e)
{
	const struct evolve_new spec = {
		.task_dir = task_dir, .chain_dir = how->dir, .step = how->step, .hours = how->hours
	};
	if (evolve_new(&spec, dir, e) < 0)
		return -1;
	if (!how->is_json)
		term_print("made chain %s\n", dir->text);
	fflush(stdout);
	return 0;
}

/* The operand as a chain's directory; a task becomes one. */
static int find_chain(const char *operand, const struct evolve_call *how, struct str *dir,
		      struct err *e)
{
	if (chaindir_is_chain(operand)) {
		str_add(dir, operand);
		return refuse_settings(operand, how, e);
	}
	if (rundir_is_run(operand))
		return err_set(e, ERR_INPUT, "%s is a run; 'forge evolve' wants a task or a chain",
			       operand);
	return make_chain(operand, how, dir, e);
}

int cmd_evolve(const struct cmd_call *call, struct err *e)
{
	int code = 0;
	struct evolve_call how = { 0 };
	enum engine_outcome outcome = ENGINE_INTERRUPTED;
	const struct opt rows[] = {
		{ 0, "accept", OPT_TEXT, "LACK,...", ACCEPT_HELP, &how.accepted },
		{ 0, "step", OPT_REAL, "RATIO", "goal of each further generation; 1.05",
		  &how.step },
		{ 0, "budget", OPT_REAL, "HOURS", "working time of all generations; no limit",
		  &how.hours },
		{ 0, "dir", OPT_TEXT, "CHAINDIR", "where; .artifacts/NAME-chain_DATE-xxxx",
		  &how.dir },
		{ 0, "dry-run", OPT_FLAG, NULL, "print the plan, touch nothing", &how.is_dry },
		{ 0, "json", OPT_FLAG, NULL, "one JSON object a line, as it happens",
		  &how.is_json },
	};
	AUTO_STRV struct strv rest = { 0 };
	AUTO_STR struct str dir = STR_INIT;
	if (!cmd_parse(call, OPT_TABLE(rows), &rest, &code, e))
		return code;
	const char *operand = rest.items[0];
	if (accept_check(how.accepted, e) < 0 || check_settings(&how, e) < 0)
		return -1;
	if (how.is_dry && !chaindir_is_chain(operand))
		return print_plan(operand, &how, e);
	if (find_chain(operand, &how, &dir, e) < 0)
		return -1;
	if (drive(dir.text, &how, &outcome, e) < 0) {
		drive_say_undone("evolve", dir.text, e);
		return -1;
	}
	if (how.is_json)
		print_end_json(dir.text, outcome);
	else if (print_end(dir.text, outcome, e) < 0)
		return -1;
	return outcome_code(outcome);
}
