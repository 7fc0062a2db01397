#include "engine/engine.h"

/* One job without a run: calibrate the task's judge if nobody did yet, make the bundle, run it,
 * load the answer. It is the same bundle and the same worker as in a run; only the record is
 * missing. */

#include <unistd.h>

#include "base/digest.h"
#include "base/err.h"
#include "base/file.h"
#include "base/rng.h"
#include "engine/bundle.h"
#include "engine/claim_check.h"
#include "engine/frozen.h"
#include "engine/jobs.h"
#include "engine/on_host.h"
#include "engine/pairing.h"
#include "model/task.h"
#include "store/fold.h"
#include "store/rundir.h"

#define HAND_DEADLINE_S 1800.0

/* Where the pieces of the bundle come from. */
struct hand {
	const struct engine_hand *spec;
	const struct engine_host *host;
	const struct engine_hooks *hooks;
	char *task_dir;
	char *judge;
	char *reference;  /* the task's own: it calibrates */
	char *tolerances; /* of a run, or of the work folder */
	char *work;
	bool has_tolerances; /* frozen ones: nothing is to be calibrated */
	bool is_temporary;
	bool is_sealed; /* a run's reference that nobody may read */
	uint64_t seed;
};

static void hand_release(struct hand *h)
{
	struct err ignored = { 0 };
	if (h->is_temporary)
		tree_remove(h->work, &ignored);
	free(h->task_dir);
	free(h->judge);
	free(h->reference);
	free(h->tolerances);
	free(h->work);
}

static int make_work(struct hand *h, struct err *e)
{
	if (h->spec->work_dir) {
		h->work = xstrdup(h->spec->work_dir);
		return dir_make(h->work, e);
	}
	h->work = xstrdup("/tmp/forge-hand-XXXXXX");
	h->is_temporary = true;
	if (!mkdtemp(h->work))
		return err_errno(e, ERR_SYSTEM, "make a temporary folder");
	return 0;
}

/* A judge or a reference that was changed since would answer in the run's name. */
static int verify_run(const char *run, struct err *e)
{
	AUTO_RUN_STATE struct run_state state = { 0 };
	return run_state_load(&state, run, e) < 0 ? -1 : frozen_verify(run, &state.judge, e);
}

static char *find_reference(const struct hand *h)
{
	char *path = NULL;
	if (!h->spec->is_claim)
		return rundir_path(h->spec->task_dir, RUNDIR_REFERENCE_SOURCE);
	claim_reference_find(h->spec->task_dir, &path);
	return path;
}

static int find_in_run(struct hand *h, struct err *e)
{
	const char *run = h->spec->task_dir;
	AUTO_TASK struct task task = { 0 };
	if (!h->spec->is_claim && verify_run(run, e) < 0)
		return -1;
	h->task_dir = rundir_path(run, RUNDIR_TASK);
	if (task_load(&task, h->task_dir, e) < 0)
		return -1;
	h->is_sealed = !task.reference_is_source;
	h->judge = task_expects_reference(&task) ? NULL : rundir_path(run, RUNDIR_JUDGE);
	h->tolerances = rundir_path(run, RUNDIR_TOLERANCES);
	h->has_tolerances = true;
	h->reference = find_reference(h);
	if (!file_exists(h->tolerances))
		return err_set(e, ERR_INPUT,
			       "%s: its judge is not calibrated yet; forge run it "
			       "first, or name its task",
			       run);
	return 0;
}

static int find_in_task(struct hand *h, struct err *e)
{
	AUTO_TASK struct task task = { 0 };
	if (task_load(&task, h->spec->task_dir, e) < 0)
		return -1;
	if (on_host_check_task(h->host, &task, e) < 0)
		return err_wrap(e, "%s", h->spec->task_dir);
	if (!task.judge && !task_expects_reference(&task))
		return err_set(e, ERR_INPUT,
			       "%s: the task has no judge; add judge/judge.c, or "
			       "forge run it once and name the run directory",
			       h->spec->task_dir);
	if (!task.reference_run)
		return err_set(e, ERR_INPUT, "%s: the task has no reference", h->spec->task_dir);
	h->task_dir = xstrdup(h->spec->task_dir);
	h->judge = task.judge ? path_join(h->task_dir, task.judge) : NULL;
	h->reference = path_join(h->task_dir, task.reference_run);
	h->has_tolerances = task.tolerances != NULL;
	if (task.tolerances)
		h->tolerances = path_join(h->task_dir, task.tolerances);
	else
		h->tolerances = path_join(h->work, "calibrate/check/tolerances.json");
	return 0;
}

static bool is_frozen(const struct hand *h)
{
	return h->spec->is_claim || rundir_is_run(h->spec->task_dir);
}

static int find_pieces(struct hand *h, struct err *e)
{
	if (is_frozen(h))
		return find_in_run(h, e);
	return find_in_task(h, e);
}

static struct job describe(const struct hand *h, enum job_kind kind, const char *id)
{
	bool is_calibration = kind == JOB_CALIBRATE;
	unsigned replicates = h->spec->replicates ? h->spec->replicates : DECIDE_REPLICATES;
	struct job job = { .kind = kind,
			   .seed = rng_derive(h->seed, id) >> 2,
			   .replicates = is_calibration ? 1 : replicates,
			   .rounds = h->spec->rounds ? h->spec->rounds : JOB_ROUNDS,
			   .held_out = is_calibration || h->spec->held_out,
			   .is_cold = !h->spec->is_warm,
			   .with_profile = !is_calibration,
			   .is_sealed = h->is_sealed,
			   .accept_weak_sandbox = h->host && h->host->accept_weak_sandbox,
			   .deadline_s = HAND_DEADLINE_S };
	snprintf(job.id, sizeof(job.id), "%s", id);
	return job;
}

static int run_job(struct hand *h, const struct job *job, const struct bundle_spec *bundle,
		   struct result *result, struct err *e)
{
	struct on_host on = { .host = h->host, .hooks = h->hooks, .job_id = job->id };
	struct err why = { 0 };
	int rc = bundle_make(bundle, e) < 0 ? -1 : on_host_run(&on, bundle->dir, e);
	if (bundle_close(bundle->dir, bundle->reference, bundle->candidate, &why) < 0 && rc == 0)
		*e = why;
	if (rc < 0 || why.kind != ERR_NONE || result_load(result, bundle->dir, e) < 0)
		return -1;
	if (result->error)
		return err_set(e, ERR_INPUT, "%s%s",
			       job->kind == JOB_CALIBRATE ? "calibrate: " : "", result->error);
	return 0;
}

static int calibrate(struct hand *h, struct result *result, struct err *e)
{
	AUTO_FREE char *dir = path_join(h->work, "calibrate");
	const struct job job = describe(h, JOB_CALIBRATE, "calibrate");
	const struct bundle_spec bundle = { .job = &job,
					    .dir = dir,
					    .task_dir = h->task_dir,
					    .reference = h->reference,
					    .judge = h->judge };
	return run_job(h, &job, &bundle, result, e);
}

/* Does the task bring tolerances, or the work folder hold some of this very task? */
static bool is_calibrated(const struct hand *h)
{
	AUTO_FREE char *kept = path_join(h->work, "calibrate/task");
	struct digest then, now;
	struct err ignored = { 0 };
	if (!file_exists(h->tolerances))
		return false;
	if (h->has_tolerances)
		return true;
	return digest_tree(kept, &then, &ignored) == 0 &&
	       digest_tree(h->task_dir, &now, &ignored) == 0 && str_equal(then.hex, now.hex);
}

static int calibrate_if_needed(struct hand *h, struct err *e)
{
	AUTO_RESULT struct result result = { 0 };
	return is_calibrated(h) ? 0 : calibrate(h, &result, e);
}

static int measure(struct hand *h, struct result *result, struct err *e)
{
	AUTO_FREE char *dir = path_join(h->work, "job");
	const struct job job = describe(h, h->spec->kind, "hand");
	const char *candidate = h->spec->candidate ? h->spec->candidate : h->reference;
	const struct bundle_spec bundle = {
		.job = &job,
		.dir = dir,
		.task_dir = h->task_dir,
		.reference = h->spec->reference ? h->spec->reference : h->reference,
		.candidate = candidate,
		.judge = h->judge,
		.tolerances = h->tolerances,
	};
	return run_job(h, &job, &bundle, result, e);
}

static int estimate(const struct hand *h, struct engine_answer *answer, struct err *e)
{
	const struct pairing_spec pairing = {
		.result = &answer->result,
		.purpose = "hand",
		.comparator = h->spec->reference ? h->spec->reference : "the reference",
	};
	if (h->spec->kind != JOB_TIME || answer->result.verdict.state != VERDICT_PASS)
		return 0;
	return pairing_estimate(&pairing, &answer->arena, &answer->estimate, e);
}

static int work(struct hand *h, struct engine_answer *answer, struct err *e)
{
	if (make_work(h, e) < 0 || find_pieces(h, e) < 0 || rng_draw_seed(&h->seed, e) < 0)
		return -1;
	if (h->spec->kind == JOB_CALIBRATE)
		return calibrate(h, &answer->result, e);
	if (calibrate_if_needed(h, e) < 0 || measure(h, &answer->result, e) < 0)
		return -1;
	return estimate(h, answer, e);
}

int engine_by_hand(const struct engine_hand *spec, const struct engine_host *host,
		   const struct engine_hooks *hooks, struct engine_answer *answer, struct err *e)
{
	struct hand h = { .spec = spec, .host = host, .hooks = hooks, .seed = spec->seed };
	*answer = (struct engine_answer){ 0 };
	int rc = work(&h, answer, e);
	hand_release(&h);
	return rc;
}

void engine_answer_release(struct engine_answer *answer)
{
	result_release(&answer->result);
	arena_release(&answer->arena);
}
