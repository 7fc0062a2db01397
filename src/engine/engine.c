#include "engine/engine.h"

/* forge run: take the lock, fold the log, check that nothing frozen changed, then walk the stages.
 * There is no other state than the log, so "start" and "resume" are the same code. */

#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/version.h"
#include "engine/engine_in.h"
#include "engine/frozen.h"
#include "engine/mail.h"
#include "engine/prompt_custody.h"
#include "engine/turn_usage.h"
#include "engine/turns.h"
#include "sys/lock.h"

static int see_event(void *ctx, const struct event *ev, struct err *e)
{
	struct engine *g = ctx;
	return run_state_fold(&g->state, ev, e);
}

static const char *relative_place(const char *where)
{
	const char *src = strstr(where, "src/");
	return src ? src : where;
}

int engine_event_at(struct engine *g, enum event_type type, json_t *body, const char *where,
		    struct err *e)
{
	if (!body)
		BUG("event %s at %s: body can not be built", event_type_name(type), where);
	AUTO_JSON json_t *kept = json_incref(body);
	if (eventlog_add_at(g->log, type, body, relative_place(where), e) < 0)
		return err_wrap(e, "record %s", event_type_name(type));
	const struct event ev = { .seq = g->state.nr_events,
				  .wall = g->state.last_wall,
				  .type = type,
				  .type_name = event_type_name(type),
				  .body = kept,
				  .where = where };
	if (g->hooks.see_event)
		g->hooks.see_event(g->hooks.ctx, &ev, &g->state);
	return 0;
}

int engine_warn_once(struct engine *g, struct err *e, const char *fmt, ...)
{
	AUTO_STR struct str text = STR_INIT;
	va_list ap;
	va_start(ap, fmt);
	str_vaddf(&text, fmt, ap);
	va_end(ap);
	for (size_t i = 0; i < g->state.warnings.nr; i++)
		if (str_equal(g->state.warnings.items[i], text.text))
			return 0;
	return engine_event(g, EVENT_warning, e, "{s:s}", "text", text.text);
}

void engine_say(struct engine *g, const char *fmt, ...)
{
	AUTO_STR struct str text = STR_INIT;
	va_list ap;
	va_start(ap, fmt);
	str_vaddf(&text, fmt, ap);
	va_end(ap);
	if (g->hooks.see_progress)
		g->hooks.see_progress(g->hooks.ctx, &g->state, text.text);
}

bool engine_is_stopped(struct engine *g)
{
	if (g->hooks.stop_signal && *g->hooks.stop_signal)
		g->is_stopped = true;
	return g->is_stopped;
}

int engine_stop(struct engine *g, struct err *e)
{
	g->is_stopped = true;
	return err_set(e, ERR_CHILD, "stopped by a signal");
}

char *engine_path(const struct engine *g, enum rundir_part part)
{
	return rundir_path(g->run_dir, part);
}

static int (*const stage_runs[STAGE_NR])(struct engine *g, struct err *e) = {
	[STAGE_FREEZE] = stage_freeze,       [STAGE_JUDGE] = stage_judge,
	[STAGE_REFERENCE] = stage_reference, [STAGE_CURRICULUM] = stage_curriculum,
	[STAGE_STUDENT] = stage_student,     [STAGE_CONFIRM] = stage_confirm,
	[STAGE_REPORT] = stage_report,
};

static int run_stage(struct engine *g, enum stage stage, struct err *e)
{
	if (g->state.stages[stage].is_done)
		return 0;
	if (engine_is_stopped(g))
		return engine_stop(g, e);
	const char *name = stage_name(stage);
	if (!g->state.stages[stage].is_started &&
	    engine_event(g, EVENT_stage_started, e, "{s:s}", "stage", name) < 0)
		return -1;
	if (stage_runs[stage](g, e) < 0)
		return g->is_stopped ? -1 : err_wrap(e, "stage %s", name);
	return engine_event(g, EVENT_stage_done, e, "{s:s}", "stage", name);
}

static int run_stages(struct engine *g, struct err *e)
{
	for (int stage = STAGE_FREEZE; stage < STAGE_NR; stage++)
		if (run_stage(g, (enum stage)stage, e) < 0)
			return -1;
	const struct state_confirm *c = &g->state.confirm;
	return engine_event(g, EVENT_run_ended, e, "{s:b, s:s}", "goal_met", c->is_goal_met,
			    "reason", c->text);
}

static int begin_session(struct engine *g, struct err *e)
{
	if (engine_event(g, EVENT_run_started, e, "{s:i, s:s}", "pid", (int)getpid(), "forge",
			 FORGE_VERSION) < 0)
		return -1;
	if (prompt_custody_check(g, e) < 0 || turn_usage_note_agents(g, e) < 0)
		return -1;
	return freeze_check_machine(g, e);
}

/* A signal is no error: the event is written, and what the last call said is dropped. */
static int end_interrupted(struct engine *g, enum engine_outcome *outcome, struct err *e)
{
	int signal_nr = g->hooks.stop_signal ? (int)*g->hooks.stop_signal : 0;
	*e = (struct err){ 0 };
	*outcome = ENGINE_INTERRUPTED;
	json_t *waited = g->waited_s > 0 ? json_real(g->waited_s) : NULL;
	json_t *queued = g->queued_s > 0 ? json_real(g->queued_s) : NULL;
	return engine_event(g, EVENT_run_interrupted, e, "{s:i, s:o*, s:o*}", "signal", signal_nr,
			    "waited_s", waited, "queue_s", queued);
}

static int work(struct engine *g, enum engine_outcome *outcome, struct err *e)
{
	if (!g->state.is_ended &&
	    (turn_agents_check(g, e) < 0 || begin_session(g, e) < 0 || run_stages(g, e) < 0))
		return g->is_stopped ? end_interrupted(g, outcome, e) : -1;
	mail_tell(g);
	*outcome = g->state.is_goal_met ? ENGINE_GOAL_MET : ENGINE_ENDED_OTHERWISE;
	return 0;
}

static int open_run(struct engine *g, struct err *e)
{
	AUTO_FREE char *events = engine_path(g, RUNDIR_EVENTS);
	AUTO_FREE char *task = engine_path(g, RUNDIR_TASK);
	g->log = eventlog_open(events, see_event, g, e);
	if (!g->log)
		return -1;
	if (!g->state.task_name)
		return err_set(e, ERR_INPUT,
			       "%s: no run_created event; make the run again with "
			       "forge new",
			       events);
	if (frozen_verify(g->run_dir, &g->state.judge, e) < 0)
		return -1;
	return task_load(&g->task, task, e);
}

static void close_run(struct engine *g)
{
	eventlog_close(&g->log);
	if (g->course_version)
		curriculum_release(&g->course);
	task_release(&g->task);
	run_state_release(&g->state);
}

/* Reference and judge are the same in every job of a run, and a candidate that was screened is
 * built again for its decision. A host elsewhere has its own place for builds. */
static int choose_cache(struct engine *g, const char *own, struct err *e)
{
	const char *named = getenv("FORGE_CACHE");
	if (g->state.is_ended || g->host.cache_dir || (named && *named) || g->host.ops)
		return 0;
	g->host.cache_dir = own;
	return dir_make(own, e);
}

int engine_run(const char *run_dir, const struct engine_host *host,
	       const struct engine_hooks *hooks, enum engine_outcome *outcome, struct err *e)
{
	if (!rundir_is_run(run_dir))
		return err_set(e, ERR_INPUT, "%s: not a run directory (no events.jsonl)", run_dir);
	struct engine g = { .run_dir = run_dir };
	if (host)
		g.host = *host;
	if (hooks)
		g.hooks = *hooks;
	AUTO_FREE char *lock_path = engine_path(&g, RUNDIR_LOCK);
	AUTO_FREE char *cache = engine_path(&g, RUNDIR_CACHE);
	AUTO_LOCK struct lock lock = LOCK_INIT;
	if (lock_take(&lock, lock_path, e) < 0)
		return -1;
	run_state_init(&g.state);
	int rc = open_run(&g, e);
	if (rc == 0)
		rc = choose_cache(&g, cache, e);
	if (rc == 0)
		rc = work(&g, outcome, e);
	close_run(&g);
	return rc;
}
