#include "engine/moved.h"

/* Profiles come from the log, as the screens of the rounds left them there. Round 0 is the start:
 * its profile is the reference's. */

#include "base/json.h"
#include "engine/engine_in.h"
#include "model/prediction.h"

static bool metric_at(const struct engine *g, unsigned number, const char *metric, double *out,
		      const char **job)
{
	const json_t *profile = g->state.reference.profile;
	const struct state_round *r = run_state_round(&g->state, number);
	const struct state_job *done = r ? run_state_job(&g->state, r->screen.job) : NULL;
	*job = done ? done->id : "";
	if (number)
		profile = done ? done->profile : NULL;
	const json_t *value = json_object_get(profile, metric);
	*out = json_number_value(value);
	return json_is_number(value);
}

struct moved moved_look(const struct engine *g, const struct decision *d,
			const struct state_round *r)
{
	struct moved m = { .result = GATE_NONE, .jobs = { "", "" } };
	if (!d->mechanism.metric)
		return m;
	bool was = metric_at(g, r->base, d->mechanism.metric, &m.before, &m.jobs[0]);
	bool is = metric_at(g, r->number, d->mechanism.metric, &m.after, &m.jobs[1]);
	m.result = GATE_ERROR;
	if (was && is)
		m.result = prediction_has_moved(&d->mechanism, m.before, m.after) ? GATE_PASS
										  : GATE_FAIL;
	return m;
}
