#include "engine/custody.h"

/* What a job measured is what its result says: the worker reads the source once and hashes the very
 * bytes that it compiled. */

#include "base/digest.h"
#include "base/err.h"
#include "base/json.h"
#include "base/str.h"
#include "engine/engine_in.h"
#include "engine/jobs.h"
#include "model/chain.h"
#include "model/result.h"

static const char *built(const struct result *r, const char *what)
{
	const json_t *build = json_object_get(r->doc, "build");
	return json_text_or(json_object_get(build, "candidate"), what, "");
}

/* The job whose verdict let the round pass. */
static const char *judging_job(const struct state_round *r)
{
	return r->screen.job ? r->screen.job : r->decide.job;
}

static int add_judged(const struct engine *g, const char *job, struct chain *c, struct err *e)
{
	AUTO_RESULT struct result r = { 0 };
	if (!job || !run_state_job(&g->state, job))
		return 0;
	if (job_result(g, job, &r, e) < 0)
		return -1;
	chain_set(c, CHAIN_judged, built(&r, "source"));
	chain_set(c, CHAIN_judged_object, built(&r, "object"));
	return 0;
}

static int add_timed(const struct engine *g, const char *id, struct chain *c, struct err *e)
{
	AUTO_RESULT struct result r = { 0 };
	const struct state_job *job = run_state_job(&g->state, id);
	if (job_result(g, id, &r, e) < 0)
		return -1;
	chain_set(c, CHAIN_timed, built(&r, "source"));
	chain_set(c, CHAIN_timed_object, built(&r, "object"));
	chain_set(c, CHAIN_object, built(&r, "object"));
	chain_set(c, CHAIN_result, job->result);
	chain_set(c, CHAIN_samples, job->samples);
	return 0;
}

int custody_fill(const struct engine *g, const struct custody_spec *spec, struct chain *c,
		 struct err *e)
{
	const struct state_round *r = run_state_round(&g->state, spec->round);
	const struct state_judge *judge = &g->state.judge;
	AUTO_FREE char *kernel = rundir_round(g->run_dir, spec->round, "kernel.c");
	struct digest exported;
	*c = (struct chain){ 0 };
	chain_set(c, CHAIN_task, judge->task_digest);
	chain_set(c, CHAIN_judge, judge->check_digest);
	chain_set(c, CHAIN_reference, judge->reference_digest);
	chain_set(c, CHAIN_source, r->source);
	if (add_judged(g, judging_job(r), c, e) < 0 || add_timed(g, spec->job, c, e) < 0 ||
	    digest_file(kernel, &exported, e) < 0)
		return -1;
	chain_set(c, CHAIN_exported, exported.hex);
	return 0;
}

int custody_check(const struct engine *g, const struct custody_spec *spec, struct str *why,
		  struct err *e)
{
	AUTO_CHAIN struct chain c = { 0 };
	struct err mismatch = { 0 };
	if (custody_fill(g, spec, &c, e) < 0)
		return -1;
	if (chain_check(&c, &mismatch) == 0)
		return 0;
	str_add(why, mismatch.text);
	return 1;
}
