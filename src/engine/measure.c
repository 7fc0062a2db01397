#include "engine/measure.h"

/* The same source is measured once: drawing again until luck comes is how noise gets promoted. */

#include "base/err.h"
#include "base/json.h"
#include "base/str.h"
#include "engine/engine_in.h"
#include "engine/jobs.h"
#include "engine/pairing.h"
#include "model/result.h"

static const struct state_round *round_at(const struct engine *g, unsigned number)
{
	return run_state_round(&g->state, number);
}

static int give_verdict(struct engine *g, unsigned number, const char *job, const struct verdict *v,
			struct err *e)
{
	return engine_event(g, EVENT_verdict_given, e, "{s:i, s:s, s:o}", "round", (int)number,
			    "job", job, "verdict", verdict_to_json(v));
}

static int give_estimate(struct engine *g, unsigned number, const struct state_estimate *est,
			 struct err *e)
{
	return engine_event(g, EVENT_trial_estimated, e, "{s:i, s:o}", "round", (int)number,
			    "estimate", state_estimate_to_json(est));
}

static char *job_id(unsigned number, const char *purpose)
{
	return xasprintf("r%04u-%s", number, purpose);
}

static int estimate(struct engine *g, unsigned number, const char *purpose,
		    const struct result *result, struct err *e)
{
	AUTO_ARENA struct arena scratch = { 0 };
	struct state_estimate est;
	const struct pairing_spec pairing = { .result = result,
					      .purpose = purpose,
					      .comparator = "the reference" };
	if (pairing_estimate(&pairing, &scratch, &est, e) < 0)
		return -1;
	return give_estimate(g, number, &est, e);
}

/* Verdict and, for a correct candidate, estimate of one job. The screen's verdict is given always;
 * a later job speaks up only when it finds the candidate wrong after all. */
static int measure(struct engine *g, unsigned number, const char *purpose, unsigned replicates,
		   struct err *e)
{
	AUTO_RESULT struct result result = { 0 };
	AUTO_FREE char *id = job_id(number, purpose);
	AUTO_FREE char *source = rundir_round(g->run_dir, number, "kernel.c");
	const struct job_spec job = { .id = id,
				      .purpose = purpose,
				      .round = number,
				      .kind = JOB_TIME,
				      .candidate = source,
				      .replicates = replicates,
				      .with_profile = true,
				      .may_fail = true };
	if (job_run(g, &job, &result, e) < 0)
		return -1;
	bool is_pass = result.verdict.state == VERDICT_PASS;
	bool is_first = round_at(g, number)->verdict.state == VERDICT_NONE;
	if ((is_first || !is_pass) && give_verdict(g, number, id, &result.verdict, e) < 0)
		return -1;
	return is_pass ? estimate(g, number, purpose, &result, e) : 0;
}

static bool is_judged(const struct state_round *r)
{
	return r->verdict.state != VERDICT_NONE;
}

/* Timed by K=8, or wrong: nothing is left to decide. */
static bool is_decided(const struct state_round *r)
{
	return r->decide.call || (is_judged(r) && r->verdict.state != VERDICT_PASS);
}

/* The first other round with the very same source of which `is` holds. */
static const struct state_round *twin_of(const struct engine *g, const struct state_round *r,
					 bool (*is)(const struct state_round *r))
{
	for (size_t i = 0; i < g->state.nr_rounds; i++) {
		const struct state_round *other = &g->state.rounds[i];
		if (other->number != r->number && str_equal(other->source, r->source) && is(other))
			return other;
	}
	return NULL;
}

static int screen_like(struct engine *g, unsigned number, unsigned twin, struct err *e)
{
	const struct state_round *r = round_at(g, number);
	const struct state_round *t = round_at(g, twin);
	const char *job = t->screen.job ? t->screen.job : "";
	if (r->verdict.state == VERDICT_NONE && give_verdict(g, number, job, &t->verdict, e) < 0)
		return -1;
	if (t->screen.call && !round_at(g, number)->screen.call &&
	    give_estimate(g, number, &round_at(g, twin)->screen, e) < 0)
		return -1;
	if (round_at(g, twin)->decide.call && !round_at(g, number)->decide.call)
		return give_estimate(g, number, &round_at(g, twin)->decide, e);
	return 0;
}

static int decide_like(struct engine *g, unsigned number, unsigned twin, struct err *e)
{
	const struct state_round *t = round_at(g, twin);
	AUTO_FREE char *job = job_id(twin, "decide");
	if (t->verdict.state != VERDICT_PASS)
		return give_verdict(g, number, job, &t->verdict, e);
	return give_estimate(g, number, &t->decide, e);
}

int measure_screen(struct engine *g, unsigned number, struct err *e)
{
	const struct state_round *r = round_at(g, number);
	const struct state_round *twin = twin_of(g, r, is_judged);
	if (twin)
		return screen_like(g, number, twin->number, e);
	if (r->verdict.state == VERDICT_NONE ||
	    (r->verdict.state == VERDICT_PASS && !r->screen.call))
		return measure(g, number, "screen", SCREEN_REPLICATES, e);
	return 0;
}

int measure_decide(struct engine *g, unsigned number, struct err *e)
{
	const struct state_round *twin = twin_of(g, round_at(g, number), is_decided);
	if (twin)
		return decide_like(g, number, twin->number, e);
	return measure(g, number, "decide", DECIDE_REPLICATES, e);
}

/* Several in a row mean that the machine is broken, and then nothing measured here is worth
 * anything. */
int measure_bear_failure(struct engine *g, unsigned number, const char *lost, struct err *e)
{
	const struct state_job *last =
		g->state.nr_jobs ? &g->state.jobs[g->state.nr_jobs - 1] : NULL;
	if (!last || !job_is_failure(g, last->id, e) || jobs_failed_in_a_row(g) >= MAX_FAILED_JOBS)
		return -1;
	AUTO_FREE char *text = xstrdup(e->text);
	*e = (struct err){ 0 };
	return engine_warn_once(g, e, "round %u ended without a %s: %s", number, lost, text);
}
