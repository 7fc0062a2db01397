#include "worker/pipeline.h"

/*
 * Stages are prefixes of one pipeline; a verdict that is not PASS ends it early and is a full
 * answer. What a failed job found out so far is saved all the same, with the reason in `error`.
 */

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "worker/align.h"
#include "worker/cases.h"
#include "worker/correct.h"
#include "worker/gpu_bench.h"
#include "worker/gpu_floor.h"
#include "worker/gpu_profile.h"
#include "worker/gpu_trial.h"
#include "worker/inspect.h"
#include "worker/lesson_probe.h"
#include "worker/machine.h"
#include "worker/monitor.h"
#include "worker/origin_time.h"
#include "worker/parties.h"
#include "worker/profile.h"
#include "worker/timing.h"
#include "worker/trial.h"
#include "worker/worker.h"

static bool has_passed(const struct worker *w)
{
	return w->result.verdict.state == VERDICT_PASS;
}

static int time_cases(struct worker *w, struct cases *cases, struct err *e)
{
	/* Of threads that share cores with others two calls tell too little. */
	if (gpu_is_used(w) || w->task.threads == 1)
		cases_note_costs(w, cases);
	return gpu_is_used(w) ? gpu_trial_run(w, cases, e) : timing_run(w, cases, trial_run, e);
}

static int judge_and_time(struct worker *w, struct err *e)
{
	AUTO_CASES struct cases cases = { 0 };
	if (cases_init(&cases, w, e) < 0)
		return -1;
	if (w->job.kind == JOB_CALIBRATE)
		return align_run(w, &cases, e);
	if (correct_run(w, &cases, e) < 0)
		return -1;
	if (w->job.kind == JOB_TIME && has_passed(w) && time_cases(w, &cases, e) < 0)
		return -1;
	if (w->job.kind == JOB_TIME && w->job.with_profile && gpu_is_used(w) && has_passed(w))
		gpu_profile_run(w, &cases);
	if (w->job.kind == JOB_TIME && w->job.with_origin && w->task.leaderboard && has_passed(w) &&
	    origin_time_run(w, &cases, e) < 0)
		return -1;
	if (w->job.with_monitor && has_passed(w))
		return monitor_run(w, e);
	return 0;
}

/* Less than an object of a large kernel in all its layouts. */
enum { BUILD_ROOM_BYTES = 1 << 20 };

/* On a full disk nothing compiles, and that says nothing about the candidate. */
static int check_room(const struct worker *w, struct err *e)
{
	if (w->result.verdict.reason != REASON_compile_failed)
		return 0;
	return dir_check_room(w->bundle, BUILD_ROOM_BYTES, e);
}

static int run_stages(struct worker *w, struct err *e)
{
	if (w->job.kind == JOB_LESSON)
		return lesson_probe_run(w, e);
	if (parties_build(w, e) < 0)
		return -1;
	if (check_room(w, e) < 0)
		return -1;
	bool is_refused = w->result.verdict.state != VERDICT_NONE;
	if (w->job.kind == JOB_INSPECT)
		return worker_pin(w, e) < 0 ? -1 : inspect_run(w, e);
	if (w->job.kind != JOB_BUILD && !is_refused &&
	    (worker_pin(w, e) < 0 || judge_and_time(w, e) < 0))
		return -1;
	if (w->job.with_profile && gpu_is_used(w))
		gpu_profile_finish(w);
	else if (w->job.with_profile)
		profile_finish(w);
	return 0;
}

static int save(struct worker *w, struct err *e)
{
	worker_close_cost(w);
	AUTO_FREE char *scratch = path_join(w->bundle, "work");
	struct err ignored = { 0 };
	tree_remove(scratch, &ignored);
	return result_save(&w->result, w->bundle, e);
}

static int fail(struct worker *w, const struct err *why)
{
	/* A job that failed says nothing about the candidate. */
	w->result.verdict = (struct verdict){ 0 };
	w->result.error = why->text;
	struct err ignored = { 0 };
	if (w->result.job_id)
		save(w, &ignored);
	return -1;
}

int pipeline_run(const char *bundle, struct err *e)
{
	AUTO_WORKER struct worker w;
	if (worker_open(&w, bundle, e) < 0 || run_stages(&w, e) < 0)
		return fail(&w, e);
	worker_record(&w, "machine", machine_to_json(&w.roofline));
	return save(&w, e);
}
