#include "engine/evolve_in.h"

/* One loop over what the log does not say yet: run the newest generation, time its best against
 * generation 0, decide, begin the next one. There is no other state than the log, so "start" and
 * "resume" are the same code. */

#include <unistd.h>

#include "base/digest.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/rng.h"
#include "base/str.h"
#include "base/version.h"
#include "store/rundir.h"
#include "sys/lock.h"

enum { MAX_KERNEL_BYTES = 64 << 20 };

static const char *relative_place(const char *where)
{
	const char *src = strstr(where, "src/");
	return src ? src : where;
}

int evolve_event_at(struct evolve *c, enum event_type type, json_t *body, const char *where,
		    struct err *e)
{
	if (!body)
		BUG("event %s at %s: body can not be built", event_type_name(type), where);
	AUTO_JSON json_t *kept = json_incref(body);
	if (eventlog_add_at(c->log, type, body, relative_place(where), e) < 0)
		return err_wrap(e, "record %s", event_type_name(type));
	const struct event ev = { .seq = c->state.nr_events,
				  .wall = c->state.last_wall,
				  .type = type,
				  .type_name = event_type_name(type),
				  .version = 1,
				  .body = kept,
				  .where = relative_place(where) };
	if (c->hooks.see_event)
		c->hooks.see_event(c->hooks.ctx, &ev, &c->state);
	return 0;
}

bool evolve_is_stopped(struct evolve *c)
{
	const volatile sig_atomic_t *stop = c->hooks.run.stop_signal;
	c->is_stopped = c->is_stopped || (stop && *stop);
	return c->is_stopped;
}

/* What a killed forge had begun to fill; nobody else is at work on a chain that is locked. */
static int drop_drafts(const char *run_dir, struct err *e)
{
	AUTO_FREE char *parent = path_dir(run_dir);
	AUTO_FREE char *draft = xasprintf("%s.new", path_base(run_dir));
	AUTO_STRV struct strv names = { 0 };
	if (dir_list(parent, &names, e) < 0)
		return -1;
	for (size_t i = 0; i < names.nr; i++) {
		AUTO_FREE char *path = path_join(parent, names.items[i]);
		if (str_starts(names.items[i], draft) && tree_remove(path, e) < 0)
			return -1;
	}
	return 0;
}

/* The run directory appears whole or not at all, so being there is being made. */
static int make_run(struct evolve *c, const char *run_dir, struct err *e)
{
	const struct chain_generation *g = chain_state_last(&c->state);
	AUTO_FREE char *task = path_join(c->dir, g->task);
	AUTO_FREE char *purpose = xasprintf("g%u", g->number);
	AUTO_STR struct str made = STR_INIT;
	struct digest now;
	const struct engine_new spec = { .task_dir = task,
					 .run_dir = run_dir,
					 .seed = rng_derive(c->state.seed, purpose) >> 2 };
	if (file_exists(run_dir))
		return 0;
	if (drop_drafts(run_dir, e) < 0 || digest_tree(task, &now, e) < 0)
		return -1;
	if (!str_equal(now.hex, g->task_digest))
		return err_set(e, ERR_CONFLICT,
			       "%s: changed after it was written; put it back, or "
			       "begin a new chain",
			       task);
	return engine_new_run(&spec, &made, e);
}

static int record_end(struct evolve *c, const char *run_dir, struct err *e)
{
	const struct chain_generation *g = chain_state_last(&c->state);
	AUTO_RUN_STATE struct run_state s = { 0 };
	if (run_state_load(&s, run_dir, e) < 0)
		return -1;
	const struct state_confirm *confirm = &s.confirm;
	const struct state_round *best = run_state_round(&s, confirm->round);
	json_t *estimate =
		confirm->estimate.call ? state_estimate_to_json(&confirm->estimate) : json_object();
	return evolve_event(
		c, EVENT_generation_ended, e, "{s:i, s:b, s:b, s:s, s:f, s:s*, s:o}", "generation",
		(int)g->number, "confirmed", confirm->is_confirmed, "goal_met", s.is_goal_met,
		"reason", s.end_reason ? s.end_reason : "", "seconds", s.elapsed_s, "kernel",
		confirm->is_confirmed && best ? best->source : NULL, "estimate", estimate);
}

static int run_generation(struct evolve *c, struct err *e)
{
	const struct chain_generation *g = chain_state_last(&c->state);
	AUTO_FREE char *run_dir = path_join(c->dir, g->run);
	enum engine_outcome outcome = ENGINE_INTERRUPTED;
	unsigned number = g->number;
	if (make_run(c, run_dir, e) < 0 ||
	    engine_run(run_dir, &c->host, &c->hooks.run, &outcome, e) < 0)
		return err_wrap(e, "generation %u", number);
	if (outcome == ENGINE_INTERRUPTED) {
		c->is_stopped = true;
		return -1;
	}
	return record_end(c, run_dir, e);
}

/* The gain counts when the whole interval lies above the floor. */
static bool is_gain(const struct state_estimate *own, double floor)
{
	return own->low > 1 + floor;
}

static bool is_budget_used(const struct chain_state *s)
{
	return s->hours > 0 && chain_state_seconds(s) >= s->hours * 3600;
}

/* True: another generation follows. `text` says why or why not. */
static bool goes_on(const struct chain_state *s, const struct chain_generation *g, double floor,
		    struct str *text)
{
	if (!g->is_confirmed) {
		str_addf(text, "no further gain found: generation %u has no confirmed best (%s)",
			 g->number, g->reason);
		return false;
	}
	if (g->verdict.state != VERDICT_PASS) {
		str_addf(text,
			 "the best of generation %u does not pass the judge of generation 0 (%s)",
			 g->number, reason_name(g->verdict.reason));
		return false;
	}
	str_addf(text, "generation %u gained %.2f %% [%.2f, %.2f] over its own reference",
		 g->number, 100 * (g->own.speedup - 1), 100 * (g->own.low - 1),
		 100 * (g->own.high - 1));
	if (!is_gain(&g->own, floor)) {
		str_addf(text, ", inside the floor of %.2f %%: no further gain found", 100 * floor);
		return false;
	}
	str_addf(text, ", above the floor of %.2f %%", 100 * floor);
	if (is_budget_used(s)) {
		str_addf(text, "; the chain's budget of %.4g h is used up", s->hours);
		return false;
	}
	return true;
}

static int decide(struct evolve *c, struct err *e)
{
	const struct chain_generation *g = chain_state_last(&c->state);
	AUTO_STR struct str text = STR_INIT;
	double floor = g->own.floor > EVOLVE_MIN_FLOOR ? g->own.floor : EVOLVE_MIN_FLOOR;
	bool more = goes_on(&c->state, g, floor, &text);
	return evolve_event(c, EVENT_generation_decided, e, "{s:i, s:b, s:f, s:s}", "generation",
			    (int)g->number, "goes_on", more, "floor", floor, "text", text.text);
}

static int begin_next(struct evolve *c, struct err *e)
{
	unsigned number = (unsigned)c->state.nr_generations;
	AUTO_STR struct str name = STR_INIT;
	if (evolve_task_write(c, number, &name, e) < 0)
		return err_wrap(e, "write the task of generation %u", number);
	AUTO_FREE char *task = path_join(c->dir, name.text);
	AUTO_FREE char *run = chaindir_generation(CHAINDIR_RUNS, number);
	struct digest digest;
	if (digest_tree(task, &digest, e) < 0)
		return -1;
	return evolve_event(c, EVENT_generation_started, e, "{s:i, s:s, s:s, s:s}", "generation",
			    (int)number, "task", name.text, "task_digest", digest.hex, "run", run);
}

/* Derived, so written again without harm. */
static int write_best(const struct evolve *c, struct err *e)
{
	const struct chain_generation *best = chain_state_best(&c->state);
	if (!best)
		return 0;
	AUTO_FREE char *run = path_join(c->dir, best->run);
	AUTO_FREE char *from = rundir_path(run, RUNDIR_BEST_KERNEL);
	AUTO_FREE char *folder = chaindir_path(c->dir, CHAINDIR_BEST);
	AUTO_FREE char *to = chaindir_path(c->dir, CHAINDIR_BEST_KERNEL);
	AUTO_STR struct str text = STR_INIT;
	if (file_read(from, MAX_KERNEL_BYTES, &text, e) < 0 || dir_make(folder, e) < 0)
		return -1;
	return file_write(to, text.text, text.len, e);
}

static int report(struct evolve *c, struct err *e)
{
	AUTO_STRV struct strv paths = { 0 };
	if (write_best(c, e) < 0)
		return -1;
	if (c->hooks.write_report && c->hooks.write_report(c->hooks.ctx, c->dir, &paths, e) < 0)
		return -1;
	json_t *list = json_array();
	for (size_t i = 0; i < paths.nr; i++)
		json_array_append_new(list, json_string(paths.items[i]));
	return evolve_event(c, EVENT_chain_reported, e, "{s:o}", "paths", list);
}

static int end(struct evolve *c, struct err *e)
{
	const struct chain_generation *best = chain_state_best(&c->state);
	bool is_met = best && best->direct.speedup >= c->state.ratio;
	return evolve_event(c, EVENT_chain_ended, e, "{s:b, s:s, s:i}", "goal_met", is_met,
			    "reason", chain_state_last(&c->state)->decision, "best",
			    best ? (int)best->number : -1);
}

static int step(struct evolve *c, struct err *e)
{
	const struct chain_generation *g = chain_state_last(&c->state);
	if (!g->is_ended)
		return run_generation(c, e);
	if (g->is_confirmed && !g->has_direct)
		return evolve_direct(c, e);
	if (!g->is_decided)
		return decide(c, e);
	if (g->goes_on)
		return begin_next(c, e);
	return c->state.is_reported ? end(c, e) : report(c, e);
}

static int end_interrupted(struct evolve *c, enum engine_outcome *outcome, struct err *e)
{
	const volatile sig_atomic_t *stop = c->hooks.run.stop_signal;
	*e = (struct err){ 0 };
	*outcome = ENGINE_INTERRUPTED;
	return evolve_event(c, EVENT_chain_interrupted, e, "{s:i}", "signal",
			    stop ? (int)*stop : 0);
}

static int work(struct evolve *c, enum engine_outcome *outcome, struct err *e)
{
	if (!c->state.is_ended && evolve_event(c, EVENT_chain_started, e, "{s:i, s:s}", "pid",
					       (int)getpid(), "forge", FORGE_VERSION) < 0)
		return -1;
	while (!c->state.is_ended)
		if (evolve_is_stopped(c) || step(c, e) < 0)
			return evolve_is_stopped(c) ? end_interrupted(c, outcome, e) : -1;
	*outcome = c->state.is_goal_met ? ENGINE_GOAL_MET : ENGINE_ENDED_OTHERWISE;
	return 0;
}

static int see_event(void *ctx, const struct event *ev, struct err *e)
{
	struct evolve *c = ctx;
	return chain_state_fold(&c->state, ev, e);
}

static int open_chain(struct evolve *c, struct err *e)
{
	AUTO_FREE char *path = chaindir_path(c->dir, CHAINDIR_LOG);
	c->log = eventlog_open(path, see_event, c, e);
	if (!c->log)
		return -1;
	if (c->state.task_name && c->state.nr_generations)
		return 0;
	return err_set(e, ERR_INPUT, "%s: no generation 0 in it; make the chain again", path);
}

int evolve_run(const char *chain_dir, const struct engine_host *host,
	       const struct evolve_hooks *hooks, enum engine_outcome *outcome, struct err *e)
{
	struct evolve c = { .dir = chain_dir };
	if (host)
		c.host = *host;
	if (hooks)
		c.hooks = *hooks;
	AUTO_FREE char *lock_path = chaindir_path(chain_dir, CHAINDIR_LOCK);
	AUTO_LOCK struct lock lock = LOCK_INIT;
	if (lock_take(&lock, lock_path, e) < 0)
		return -1;
	chain_state_init(&c.state);
	int rc = open_chain(&c, e);
	if (rc == 0)
		rc = work(&c, outcome, e);
	eventlog_close(&c.log);
	chain_state_release(&c.state);
	return rc;
}
