#include "engine/evolve_in.h"

/* A ratio over generation 0 is measured, never multiplied: the best of each generation takes turns
 * with generation 0's reference in one job of the kind that confirms (K=16, held-out shapes), under
 * the judge and the tolerances frozen in generation 0. For generation 0 that job is its own
 * confirmation. */

#include "base/digest.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/rng.h"
#include "base/str.h"
#include "engine/bundle.h"
#include "engine/jobs.h"
#include "engine/pairing.h"
#include "model/result.h"
#include "store/rundir.h"

static const char comparator[] = "the reference of generation 0";

struct direct {
	struct evolve *c;
	unsigned number;
	char *first;    /* run directory of generation 0 */
	char *kernel;   /* the best of this generation */
	char *relative; /* work folder below the chain's directory */
	char *work;
	char *bundle; /* as engine_by_hand makes it */
};

static void direct_init(struct direct *d, struct evolve *c)
{
	const struct chain_generation *g = chain_state_last(&c->state);
	AUTO_FREE char *run = path_join(c->dir, g->run);
	*d = (struct direct){ .c = c,
			      .number = g->number,
			      .first = path_join(c->dir, c->state.generations[0].run),
			      .kernel = rundir_path(run, RUNDIR_BEST_KERNEL),
			      .relative = chaindir_generation(CHAINDIR_DIRECT, g->number) };
	d->work = path_join(c->dir, d->relative);
	d->bundle = path_join(d->work, "job");
}

static void direct_release(struct direct *d)
{
	free(d->first);
	free(d->kernel);
	free(d->relative);
	free(d->work);
	free(d->bundle);
}

static int record(struct direct *d, const char *dir, const struct verdict *v,
		  const struct state_estimate *est, struct err *e)
{
	json_t *estimate = est->call ? state_estimate_to_json(est) : json_object();
	const struct chain_generation *g = chain_state_last(&d->c->state);
	return evolve_event(d->c, EVENT_direct_timed, e, "{s:i, s:s, s:s?, s:o, s:o}", "generation",
			    (int)d->number, "dir", dir, "kernel", g->kernel, "verdict",
			    verdict_to_json(v), "estimate", estimate);
}

/* Is this file what its generation's run confirmed? */
static int check_kernel(const struct direct *d, const char *path, struct err *e)
{
	const struct chain_generation *g = chain_state_last(&d->c->state);
	struct digest now;
	if (digest_file(path, &now, e) < 0)
		return -1;
	if (str_equal(now.hex, g->kernel))
		return 0;
	return err_set(e, ERR_CONFLICT, "%s: changed after it was confirmed", path);
}

/* An answer that was there before forge died is the answer: measuring again would draw twice. */
static bool has_answer(const struct direct *d, struct result *result)
{
	struct err ignored = { 0 };
	AUTO_FREE char *task = path_join(d->bundle, "task");
	AUTO_FREE char *kernel = bundle_kernel_name(task);
	AUTO_FREE char *candidate = xasprintf("%s/candidate/%s", d->bundle, kernel);
	if (!file_exists(candidate) || check_kernel(d, candidate, &ignored) < 0)
		return false;
	if (result_load(result, d->bundle, &ignored) == 0 && !result->error)
		return true;
	result_release(result);
	*result = (struct result){ 0 };
	return false;
}

static int record_result(struct direct *d, const struct result *result, struct err *e)
{
	AUTO_ARENA struct arena scratch = { 0 };
	AUTO_FREE char *dir = xasprintf("%s/job", d->relative);
	struct state_estimate est = { 0 };
	const struct pairing_spec pairing = { .result = result,
					      .purpose = "direct",
					      .comparator = comparator };
	if (result->verdict.state == VERDICT_PASS &&
	    pairing_estimate(&pairing, &scratch, &est, e) < 0)
		return -1;
	return record(d, dir, &result->verdict, &est, e);
}

static int measure(struct direct *d, struct err *e)
{
	AUTO_ENGINE_ANSWER struct engine_answer answer = { 0 };
	AUTO_FREE char *purpose = xasprintf("direct-g%u", d->number);
	const struct engine_hand hand = { .task_dir = d->first,
					  .candidate = d->kernel,
					  .kind = JOB_TIME,
					  .replicates = CONFIRM_REPLICATES,
					  .held_out = true,
					  .seed = rng_derive(d->c->state.seed, purpose) >> 2,
					  .work_dir = d->work };
	if (check_kernel(d, d->kernel, e) < 0 ||
	    engine_by_hand(&hand, &d->c->host, &d->c->hooks.run, &answer, e) < 0)
		return -1;
	return record_result(d, &answer.result, e);
}

static int measure_or_take(struct direct *d, struct err *e)
{
	AUTO_RESULT struct result result = { 0 };
	AUTO_FREE char *reference = rundir_path(d->first, RUNDIR_REFERENCE_SOURCE);
	if (has_answer(d, &result))
		return bundle_close(d->bundle, reference, d->kernel, e) < 0
			       ? -1
			       : record_result(d, &result, e);
	if (measure(d, e) == 0)
		return 0;
	/* Once more: a busy machine says nothing about the kernel. */
	if (evolve_is_stopped(d->c) || e->kind == ERR_CONFLICT)
		return -1;
	*e = (struct err){ 0 };
	return measure(d, e);
}

static int take_confirmation(struct direct *d, struct err *e)
{
	const struct chain_generation *g = chain_state_last(&d->c->state);
	const struct verdict pass = { .state = VERDICT_PASS, .reason = REASON_ok };
	struct state_estimate est = g->own;
	AUTO_FREE char *dir = xasprintf("%s/%s%s", g->run, rundir_name(RUNDIR_JOBS), est.job);
	return record(d, dir, &pass, &est, e);
}

int evolve_direct(struct evolve *c, struct err *e)
{
	struct direct d;
	direct_init(&d, c);
	int rc = d.number == 0 ? take_confirmation(&d, e) : measure_or_take(&d, e);
	direct_release(&d);
	return rc < 0 && !c->is_stopped
		       ? err_wrap(e, "time generation %u against generation 0", d.number)
		       : rc;
}
