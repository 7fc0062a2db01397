#include "engine/engine_in.h"

/* Stage 3. The reference against itself: its times, its profile, and how far two builds of the same
 * source lie apart here. Then the goal. */

#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "engine/jobs.h"
#include "engine/pairing.h"
#include "model/result.h"

static json_t *profile_of(const struct result *r)
{
	json_t *profile =
		json_deep_copy(json_object_get(json_object_get(r->doc, "profile"), "reference"));
	return profile ? profile : json_object();
}

static int record(struct engine *g, const struct result *result, const struct state_estimate *est,
		  struct err *e)
{
	if (estimate_is(est, "undecided") == false &&
	    engine_warn_once(g, e,
			     "the reference measured %s than itself (%.3fx): this machine is "
			     "noisier than its own floor",
			     est->call, est->speedup) < 0)
		return -1;
	return engine_event(g, EVENT_reference_timed, e, "{s:s, s:o, s:f, s:o}", "job",
			    result->job_id, "estimate", state_estimate_to_json(est), "geomean_ns",
			    pairing_reference_geomean(est), "profile", profile_of(result));
}

static int time_reference(struct engine *g, struct err *e)
{
	AUTO_RESULT struct result result = { 0 };
	AUTO_ARENA struct arena scratch = { 0 };
	AUTO_FREE char *source = engine_path(g, RUNDIR_REFERENCE_SOURCE);
	struct state_estimate est;
	const struct job_spec job = { .id = "reference",
				      .purpose = "reference",
				      .kind = JOB_TIME,
				      .candidate = source,
				      .replicates = REFERENCE_REPLICATES,
				      .with_profile = true };
	if (job_run(g, &job, &result, e) < 0)
		return -1;
	if (result.verdict.state != VERDICT_PASS)
		return err_set(e, ERR_INPUT, "the reference does not pass its own judge: %.200s",
			       result.verdict.detail);
	const struct pairing_spec pairing = { .result = &result,
					      .purpose = "self",
					      .comparator = "the reference, rebuilt" };
	if (pairing_estimate(&pairing, &scratch, &est, e) < 0)
		return -1;
	return record(g, &result, &est, e);
}

static int set_goal(struct engine *g, struct err *e)
{
	double ratio = g->task.ratio;
	return engine_event(g, EVENT_goal_set, e, "{s:f, s:f}", "ratio", ratio, "target_ns",
			    g->state.reference.geomean_ns / ratio);
}

/* Public facts: what an agent that may not see the source may know. Derived, so written again
 * without harm. */
static int write_facts(const struct engine *g, struct err *e)
{
	const struct state_reference *ref = &g->state.reference;
	AUTO_FREE char *path = engine_path(g, RUNDIR_REFERENCE_FACTS);
	AUTO_JSON json_t *doc =
		json_pack("{s:i, s:f, s:f, s:f, s:o, s:O?}", "version", 1, "geomean_ns",
			  ref->geomean_ns, "ratio", ref->ratio, "target_ns", ref->target_ns, "self",
			  state_estimate_to_json(&ref->self), "profile", ref->profile);
	return json_write_file(path, doc, e);
}

int stage_reference(struct engine *g, struct err *e)
{
	if (!g->state.reference.self.call && time_reference(g, e) < 0)
		return -1;
	if (!g->state.reference.has_goal && set_goal(g, e) < 0)
		return -1;
	return write_facts(g, e);
}
