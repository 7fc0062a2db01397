#include "engine/budget.h"

/* Working time is what the log has recorded plus what this session has spent since its last event;
 * wall time between sessions costs nothing. */

#include "base/clock.h"
#include "base/str.h"
#include "engine/engine_in.h"
#include "engine/jobs.h"

/* The reserve: a confirmation may take half as long again as expected, and the report a little.
 * It never takes more than a quarter of the budget. */
#define RESERVE_FACTOR 1.5
#define RESERVE_REPORT_S 5.0
#define RESERVE_MAX_SHARE 0.25

static double elapsed_now_s(const struct run_state *s)
{
	uint64_t now_ns = clock_mono_ns();
	if (!s->nr_sessions || now_ns < s->session_mono_ns)
		return s->elapsed_s;
	return s->session_base_s + (double)(now_ns - s->session_mono_ns) * 1e-9;
}

double budget_reserve_s(const struct engine *g)
{
	double s = RESERVE_FACTOR * job_expected_s(g, CONFIRM_REPLICATES) + RESERVE_REPORT_S;
	double most = RESERVE_MAX_SHARE * g->state.hours * 3600;
	return s < most ? s : most;
}

double budget_left_s(const struct engine *g)
{
	const struct state_stage *loop = &g->state.stages[STAGE_STUDENT];
	double used = loop->is_started ? elapsed_now_s(&g->state) - loop->started_s : 0;
	return g->state.hours * 3600 - used - budget_reserve_s(g);
}

const char *budget_end(const struct engine *g, struct str *why)
{
	const struct run_state *s = &g->state;
	double usd = s->teacher_usage.usd + s->student_usage.usd;
	int64_t tokens = s->teacher_usage.tokens + s->student_usage.tokens;
	/* A round is screened, and the decision that it shares falls due at the latest now. */
	double next_s = job_expected_s(g, SCREEN_REPLICATES + DECIDE_REPLICATES);
	str_clear(why);
	if (budget_left_s(g) < next_s)
		str_addf(why,
			 "the time budget of %.4g h is used up (a reserve of %.0f s is kept to "
			 "confirm and report)",
			 s->hours, budget_reserve_s(g));
	else if (usd > s->usd_limit)
		str_addf(why, "the money budget of %.2f USD is used up", s->usd_limit);
	else if (tokens > s->token_limit)
		str_addf(why, "the token budget of %lld is used up", (long long)s->token_limit);
	return why->len ? why->text : NULL;
}
