#include "engine/jobs.h"

/* Order of a job: bundle on disk, job_started, host, job_done with digests. After a crash between
 * the last two, a result.json that loads (it is written last and names the digest of its samples)
 * is the answer: measuring again would draw the same lot twice. */

#include "base/digest.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/rng.h"
#include "base/str.h"
#include "engine/budget.h"
#include "engine/bundle.h"
#include "engine/engine_in.h"
#include "engine/on_host.h"
#include "host/host.h"
#include "model/result.h"

/* A first job has nothing to go by. Later ones may take this many times what the reference's own
 * trial took per replicate: a candidate ten times slower than the reference still gets its verdict
 * by the call deadline, not by the job's. */
#define FIRST_DEADLINE_S 1800.0
#define DEADLINE_FACTOR 20.0
#define DEADLINE_MIN_S 300.0
/* What a job may write: builds in several layouts, a result, the samples of K=16. Whoever has less
 * has a full disk, also when what the job wrote was removed again. */
enum { JOB_ROOM_BYTES = 16 << 20 };
/* Until something was measured. */
#define EXPECTED_S_PER_REPLICATE 3.0

static char *job_dir(const struct job_spec *spec)
{
	if (spec->round)
		return xasprintf("%s%04u/%s", rundir_name(RUNDIR_ROUNDS), spec->round,
				 spec->purpose);
	return xasprintf("%s%s", rundir_name(RUNDIR_JOBS), spec->id);
}

double job_expected_s(const struct engine *g, unsigned replicates)
{
	const struct state_job *self = run_state_job(&g->state, "reference");
	if (!self || !self->is_done)
		return EXPECTED_S_PER_REPLICATE * replicates;
	return (self->seconds - self->queue_s) * replicates / REFERENCE_REPLICATES;
}

static double deadline_of(const struct engine *g, const struct job_spec *spec)
{
	const struct state_job *self = run_state_job(&g->state, "reference");
	if (!self || !self->is_done)
		return FIRST_DEADLINE_S;
	double s = DEADLINE_FACTOR * job_expected_s(g, spec->replicates);
	return budget_job_deadline_s(g, s < DEADLINE_MIN_S ? DEADLINE_MIN_S : s,
				     job_expected_s(g, spec->replicates));
}

static struct job describe(const struct engine *g, const struct job_spec *spec)
{
	struct job job = { .kind = spec->kind,
			   .seed = rng_derive(g->state.seed, spec->id) >> 2,
			   .replicates = spec->replicates,
			   .rounds = JOB_ROUNDS,
			   .held_out = spec->held_out,
			   .is_cold = true,
			   .with_monitor = spec->with_monitor,
			   .with_profile = spec->with_profile,
			   .with_origin = spec->with_origin,
			   .is_sealed = !g->task.reference_is_source,
			   .accept_weak_sandbox = g->host.accept_weak_sandbox,
			   .deadline_s = deadline_of(g, spec) };
	snprintf(job.id, sizeof(job.id), "%s", spec->id);
	return job;
}

/* A queue that outlives forge finds a job again by the bytes of its bundle, and what is left of the
 * budget is another number every time. */
static void keep_deadline(const struct engine *g, const char *dir, struct job *job)
{
	struct job old = { 0 };
	struct err ignored = { 0 };
	bool is_kept = g->host.ops && g->host.ops->keeps_jobs;
	if (is_kept && job_load(&old, dir, &ignored) == 0 && str_equal(old.id, job->id))
		job->deadline_s = old.deadline_s;
}

static int make_bundle(const struct engine *g, const struct job_spec *spec, const char *dir,
		       struct err *e)
{
	AUTO_FREE char *task = engine_path(g, RUNDIR_TASK);
	AUTO_FREE char *reference = engine_path(g, RUNDIR_REFERENCE_SOURCE);
	AUTO_FREE char *judge = engine_path(g, RUNDIR_JUDGE);
	AUTO_FREE char *tolerances = engine_path(g, RUNDIR_TOLERANCES);
	struct job job = describe(g, spec);
	keep_deadline(g, dir, &job);
	const struct bundle_spec bundle = {
		.job = &job,
		.dir = dir,
		.task_dir = task,
		.reference = reference,
		.candidate = spec->candidate,
		.judge = task_expects_reference(&g->task) ? NULL : judge,
		.tolerances = spec->kind == JOB_CALIBRATE ? NULL : tolerances,
		.ask = spec->ask,
	};
	return bundle_make(&bundle, e);
}

/* A calibration that found the judge at fault is an answer for its author, no failure of the job.
 */
bool job_is_misaligned(const struct result *r)
{
	const json_t *calibration = json_object_get(r->doc, "calibration");
	const char *step = json_text_or(calibration, "step", "");
	return calibration && !json_bool_or(calibration, "ok", true) &&
	       (str_equal(step, "align") || str_equal(step, "self_test"));
}

const char *job_judge_fault(const struct result *r)
{
	return r->error ? json_text_or(r->doc, "judge_fault", NULL) : NULL;
}

static bool is_answer(const struct result *r, const struct job_spec *spec)
{
	bool is_told = job_is_misaligned(r) || (spec->judge_may_fail && job_judge_fault(r));
	return str_equal(r->job_id, spec->id) && (!r->error || is_told);
}

/* Does the bundle of a job that was under way hold its whole answer? */
static bool has_answer(const struct job_spec *spec, const char *dir)
{
	AUTO_RESULT struct result result = { 0 };
	struct err ignored = { 0 };
	return result_load(&result, dir, &ignored) == 0 && is_answer(&result, spec);
}

/* What `h` says is set. */
static int start(struct engine *g, const struct job_spec *spec, const char *dir, struct on_host *h,
		 struct err *e)
{
	AUTO_FREE char *relative = job_dir(spec);
	if (make_bundle(g, spec, dir, e) < 0)
		return err_wrap(e, "bundle of job %s", spec->id);
	if (engine_event(g, EVENT_job_started, e, "{s:s, s:s, s:s, s:s}", "job", spec->id, "kind",
			 job_kind_name(spec->kind), "dir", relative, "purpose", spec->purpose) < 0)
		return -1;
	int rc = on_host_run(h, dir, e);
	if (!h->is_stopped)
		return rc;
	g->queued_s += h->queue_s;
	return engine_stop(g, e);
}

/* Also for a bundle that a killed forge left open. The job's own error comes first. */
static int close_bundle(const struct engine *g, const struct job_spec *spec, const char *dir,
			int rc, struct err *e)
{
	AUTO_FREE char *reference = engine_path(g, RUNDIR_REFERENCE_SOURCE);
	struct err why = { 0 };
	if (bundle_close(dir, reference, spec->candidate, &why) == 0 || rc < 0)
		return rc;
	*e = why;
	return -1;
}

/* A disk that is full, or can not be written any more, says nothing about the candidate. Then the
 * job has not failed: the next forge run does it again. */
static int check_room(const struct engine *g, const struct job_spec *spec, const char *why,
		      struct err *e)
{
	struct err room = { 0 };
	if (dir_check_room(g->run_dir, JOB_ROOM_BYTES, &room) == 0)
		return 0;
	*e = (struct err){ 0 };
	return err_set(e, ERR_SYSTEM, "job %s is undone: %.200s (%.200s)", spec->id, room.text,
		       why);
}

static int record_failure(struct engine *g, const struct job_spec *spec, const char *why,
			  struct err *e)
{
	AUTO_FREE char *text = xstrdup(why);
	struct err other = { 0 };
	if (check_room(g, spec, text, e) < 0)
		return -1;
	if (engine_event(g, EVENT_job_failed, &other, "{s:s, s:s}", "job", spec->id, "error",
			 text) < 0) {
		*e = other;
		return -1;
	}
	*e = (struct err){ 0 };
	return err_set(e, ERR_CHILD, "job %s: %s", spec->id, text);
}

/* What a job measured, and how long it waited for its host. */
struct measured {
	const char *dir;
	double queue_s;
};

static int record_result(struct engine *g, const struct job_spec *spec, const struct measured *m,
			 const struct result *result, struct err *e)
{
	const char *dir = m->dir;
	AUTO_FREE char *path = path_join(dir, "result.json");
	AUTO_FREE char *samples_path = path_join(dir, "samples.csv");
	struct digest whole;
	struct digest samples = { "" };
	if (digest_file(path, &whole, e) < 0)
		return -1;
	if (file_exists(samples_path) && digest_file(samples_path, &samples, e) < 0)
		return -1;
	json_t *profile = json_object_get(json_object_get(result->doc, "profile"), "candidate");
	const struct job_cost *c = &result->cost;
	json_t *cost =
		json_pack("{s:f, s:f, s:f, s:f}", "build_s", c->build_s, "queue_s",
			  c->wait_s + m->queue_s, "kernel_s", c->kernel_s, "judge_s", c->judge_s);
	return engine_event(g, EVENT_job_done, e, "{s:s, s:s, s:s, s:f, s:o, s:O*}", "job",
			    spec->id, "result", whole.hex, "samples", samples.hex, "seconds",
			    c->total_s + m->queue_s, "cost", cost, "profile", profile);
}

/* Speed-ups are paired within a job; that jobs of a run ran on different processors is told. */
static int note_machine(struct engine *g, const struct result *result, struct err *e)
{
	const json_t *machine = json_object_get(result->doc, "machine");
	const char *then = json_text_or(g->state.machine_doc, "cpu", "");
	const char *now = json_text_or(machine, "cpu", then);
	if (!g->host.ops || str_equal(then, now))
		return 0;
	return engine_warn_once(
		g, e,
		"jobs of this run were measured on different machines (%s, and %s): "
		"times of different jobs may not be compared",
		then, now);
}

static int finish(struct engine *g, const struct job_spec *spec, const struct measured *m,
		  struct result *result, struct err *e)
{
	if (result_load(result, m->dir, e) < 0)
		return record_failure(g, spec, e->text, e);
	if (result->error && !is_answer(result, spec))
		return record_failure(g, spec, result->error, e);
	if (!str_equal(result->job_id, spec->id))
		return record_failure(g, spec, "the result belongs to another job", e);
	if (note_machine(g, result, e) < 0)
		return -1;
	return record_result(g, spec, m, result, e);
}

static int run_once(struct engine *g, const struct job_spec *spec, struct result *result,
		    struct err *e)
{
	const struct state_job *known = run_state_job(&g->state, spec->id);
	if (engine_is_stopped(g))
		return engine_stop(g, e);
	AUTO_FREE char *relative = job_dir(spec);
	AUTO_FREE char *dir = path_join(g->run_dir, relative);
	struct on_host h = { .host = &g->host,
			     .hooks = &g->hooks,
			     .state = &g->state,
			     .job_id = spec->id,
			     .can_resume = true };
	bool is_answered = known && !known->has_failed && has_answer(spec, dir);
	int rc = is_answered ? 0 : start(g, spec, dir, &h, e);
	if (close_bundle(g, spec, dir, rc, e) < 0) {
		bool is_recorded = run_state_job(&g->state, spec->id) != NULL;
		/* What is wrong with the place says nothing about the job: the next forge run does
		 * it again. */
		bool is_undone = g->is_stopped || trouble_is_of_place(h.trouble);
		return is_undone || !is_recorded ? -1 : record_failure(g, spec, e->text, e);
	}
	const struct measured m = { .dir = dir, .queue_s = h.queue_s };
	return finish(g, spec, &m, result, e);
}

bool job_is_failure(const struct engine *g, const char *id, const struct err *e)
{
	const struct state_job *job = run_state_job(&g->state, id);
	return !g->is_stopped && e->kind == ERR_CHILD && job && job->has_failed;
}

unsigned jobs_failed_in_a_row(const struct engine *g)
{
	unsigned nr = 0;
	for (size_t i = g->state.nr_jobs; i > 0 && g->state.jobs[i - 1].has_failed; i--)
		nr++;
	return nr;
}

/* Has an earlier session tried it as often as it is tried? Where its failure stopped the run, the
 * user has mended something since, and it is tried as often again. */
static bool is_given_up(const struct engine *g, const struct job_spec *spec,
			const struct state_job *known)
{
	bool is_over = budget_is_over(g);
	return spec->may_fail && known && known->has_failed &&
	       (is_over || known->nr_failed % JOB_TRIES == 0) &&
	       jobs_failed_in_a_row(g) < MAX_FAILED_JOBS;
}

static bool may_try_again(const struct engine *g, const char *id, const struct err *e)
{
	return job_is_failure(g, id, e) && !budget_is_over(g) &&
	       run_state_job(&g->state, id)->nr_failed % JOB_TRIES != 0;
}

/* A job that failed is tried once more: on a busy machine the reference itself may miss a deadline,
 * and that says nothing about the candidate. */
int job_run(struct engine *g, const struct job_spec *spec, struct result *result, struct err *e)
{
	const struct state_job *known = run_state_job(&g->state, spec->id);
	*result = (struct result){ 0 };
	if (known && known->is_done)
		return job_result(g, spec->id, result, e);
	if (is_given_up(g, spec, known))
		return err_set(e, ERR_CHILD, "job %s: %s", spec->id, known->error);
	if (run_once(g, spec, result, e) == 0)
		return 0;
	if (!may_try_again(g, spec->id, e))
		return -1;
	engine_say(g, "%s; once more", e->text);
	result_release(result);
	*e = (struct err){ 0 };
	return run_once(g, spec, result, e);
}

int job_result(const struct engine *g, const char *id, struct result *result, struct err *e)
{
	const struct state_job *job = run_state_job(&g->state, id);
	if (!job || !job->is_done)
		BUG("job %s is not done", id);
	AUTO_FREE char *dir = path_join(g->run_dir, job->dir);
	AUTO_FREE char *path = path_join(dir, "result.json");
	struct digest now;
	if (digest_file(path, &now, e) < 0)
		return -1;
	if (!str_equal(now.hex, job->result))
		return err_set(e, ERR_CONFLICT,
			       "%s: changed after it was recorded; put it back, or make a new run",
			       path);
	return result_load(result, dir, e);
}
