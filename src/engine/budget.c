#include "engine/budget.h"

/* Working time is what the log has recorded plus what this session has spent since its last event;
 * wall time between sessions costs nothing. */

#include "base/clock.h"
#include "base/err.h"
#include "base/str.h"
#include "engine/dispatch.h"
#include "engine/engine_in.h"
#include "engine/jobs.h"

/* The reserve: a confirmation may take half as long again as expected, and the report a little;
 * the measurements of a dispatch kernel come on top while one would pay.
 * It never takes more than a quarter of the budget. */
#define RESERVE_FACTOR 1.5
#define RESERVE_REPORT_S 5.0
#define RESERVE_MAX_SHARE 0.25
/* What a job that began in time may take past the end: its candidate may be that much slower than
 * the reference and still get its verdict. */
#define JOB_LEAST_FACTOR 4.0
#define TURN_LEAST_S 5.0

static double elapsed_now_s(const struct run_state *s)
{
	uint64_t now_ns = clock_mono_ns();
	if (!s->nr_sessions || now_ns < s->session_mono_ns)
		return s->elapsed_s;
	return s->session_base_s + (double)(now_ns - s->session_mono_ns) * 1e-9;
}

static double capped_s(const struct engine *g, double s)
{
	double most = RESERVE_MAX_SHARE * g->state.hours * 3600;
	return s < most ? s : most;
}

static double confirm_s(const struct engine *g)
{
	return RESERVE_FACTOR * job_expected_s(g, CONFIRM_REPLICATES) + RESERVE_REPORT_S;
}

double budget_reserve_s(const struct engine *g)
{
	return capped_s(g, confirm_s(g) + dispatch_reserve_s(g));
}

/* A machine that is busy with other measurements is nobody's work: the queue has its own clock. */
static double used_s(const struct engine *g)
{
	const struct run_state *s = &g->state;
	const struct state_stage *loop = &s->stages[STAGE_STUDENT];
	if (!loop->is_started)
		return 0;
	return elapsed_now_s(s) - loop->started_s - (state_free_s(&s->clocks) - loop->free_s) -
	       g->waiting_s;
}

double budget_left_s(const struct engine *g)
{
	return g->state.hours * 3600 - used_s(g) - budget_reserve_s(g);
}

double budget_left_to_confirm_s(const struct engine *g)
{
	return g->state.hours * 3600 - used_s(g) - capped_s(g, confirm_s(g));
}

static bool is_in_loop(const struct engine *g)
{
	const struct state_stage *loop = &g->state.stages[STAGE_STUDENT];
	return loop->is_started && !loop->is_done;
}

bool budget_is_over(const struct engine *g)
{
	return is_in_loop(g) && budget_left_s(g) <= 0;
}

double budget_job_deadline_s(const struct engine *g, double usual, double expected)
{
	double least = JOB_LEAST_FACTOR * expected;
	double left = budget_left_s(g);
	if (!is_in_loop(g) || left >= usual)
		return usual;
	return left > least ? left : least;
}

double budget_turn_deadline_s(const struct engine *g, double usual)
{
	double left = budget_left_s(g);
	if (!is_in_loop(g) || left >= usual)
		return usual;
	return left > TURN_LEAST_S ? left : TURN_LEAST_S;
}

static unsigned reached(double share)
{
	return share >= 0.8 ? 80 : share >= 0.5 ? 50 : 0;
}

static int warn_of(struct engine *g, enum state_resource r, double used, double limit,
		   struct err *e)
{
	unsigned percent = limit > 0 ? reached(used / limit) : 0;
	if (percent <= g->state.spent_pct[r])
		return 0;
	return engine_event(g, EVENT_budget_spent, e, "{s:s, s:i, s:f, s:f}", "resource",
			    state_resource_name(r), "percent", (int)percent, "used", used, "limit",
			    limit);
}

int budget_warn(struct engine *g, struct err *e)
{
	const struct run_state *s = &g->state;
	double usd = s->teacher_usage.usd + s->student_usage.usd;
	double tokens = (double)(s->teacher_usage.tokens + s->student_usage.tokens);
	if (warn_of(g, RESOURCE_TIME, used_s(g), s->hours * 3600, e) < 0 ||
	    warn_of(g, RESOURCE_USD, usd, s->usd_limit, e) < 0)
		return -1;
	return warn_of(g, RESOURCE_TOKENS, tokens, (double)s->token_limit, e);
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
