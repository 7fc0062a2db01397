#include "engine/budget.h"

/* Working time is what the log has recorded plus what this session has spent since its last event;
 * wall time between sessions costs nothing. */

#include "base/clock.h"
#include "base/err.h"
#include "base/str.h"
#include "engine/dispatch.h"
#include "engine/engine_in.h"
#include "engine/jobs.h"
#include "model/usage.h"

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
	return share >= 1 ? 100 : share >= 0.8 ? 80 : share >= 0.5 ? 50 : 0;
}

/* 0: there is no limit. */
static double limit_of(const struct run_state *s, enum state_resource r)
{
	switch (r) {
	case RESOURCE_TIME:
		return s->hours * 3600;
	case RESOURCE_USD:
		return s->usd_limit;
	case RESOURCE_TOKENS:
		return (double)s->token_limit;
	case RESOURCE_REQUESTS:
		return (double)s->request_limit;
	case RESOURCE_TOOL_CALLS:
		return (double)s->tool_call_limit;
	case RESOURCE_NR:
		break;
	}
	BUG("no budget %d", (int)r);
}

static double amount_of(const struct usage *u, enum state_resource r)
{
	switch (r) {
	case RESOURCE_USD:
		return u->usd;
	case RESOURCE_TOKENS:
		return (double)u->tokens;
	case RESOURCE_REQUESTS:
		return (double)u->requests;
	case RESOURCE_TOOL_CALLS:
		return (double)u->tool_calls;
	case RESOURCE_TIME:
	case RESOURCE_NR:
		break;
	}
	BUG("usage holds no %d", (int)r);
}

static int warn_of(struct engine *g, enum state_resource r, double used, struct err *e)
{
	double limit = limit_of(&g->state, r);
	unsigned percent = limit > 0 ? reached(used / limit) : 0;
	if (percent <= g->state.spent_pct[r])
		return 0;
	return engine_event(g, EVENT_budget_spent, e, "{s:s, s:i, s:f, s:f}", "resource",
			    state_resource_name(r), "percent", (int)percent, "used", used, "limit",
			    limit);
}

int budget_warn(struct engine *g, struct err *e)
{
	const struct usage used = run_state_used(&g->state);
	if (warn_of(g, RESOURCE_TIME, used_s(g), e) < 0)
		return -1;
	for (int r = RESOURCE_USD; r < RESOURCE_NR; r++) {
		enum state_resource resource = (enum state_resource)r;
		if (warn_of(g, resource, amount_of(&used, resource), e) < 0)
			return -1;
	}
	return 0;
}

/* "%s" is the limit, then what was used. */
static void describe_spent(enum state_resource r, double limit, double used, struct str *why)
{
	static const char *const names[RESOURCE_NR] = {
		[RESOURCE_USD] = "money budget",
		[RESOURCE_TOKENS] = "token budget",
		[RESOURCE_REQUESTS] = "budget of requests",
		[RESOURCE_TOOL_CALLS] = "budget of tool calls",
	};
	if (r == RESOURCE_USD)
		str_addf(why, "the %s of %.2f USD is used up", names[r], limit);
	else
		str_addf(why, "the %s of %.0f is used up", names[r], limit);
	if (used > limit && r == RESOURCE_USD)
		str_addf(why, ", and %.2f USD more", used - limit);
	else if (used > limit)
		str_addf(why, ", and %.0f more", used - limit);
}

bool budget_is_spent(const struct engine *g, const struct usage *more, struct str *why)
{
	struct usage used = run_state_used(&g->state);
	usage_add(&used, more);
	for (int i = RESOURCE_USD; i < RESOURCE_NR; i++) {
		enum state_resource r = (enum state_resource)i;
		double limit = limit_of(&g->state, r);
		double amount = amount_of(&used, r);
		bool is_limited = limit > 0 || r == RESOURCE_USD || r == RESOURCE_TOKENS;
		if (!is_limited || amount <= 0 || amount < limit)
			continue;
		describe_spent(r, limit, amount, why);
		return true;
	}
	return false;
}

const char *budget_end(const struct engine *g, struct str *why)
{
	/* A round is screened, and the decision that it shares falls due at the latest now. */
	double next_s = job_expected_s(g, SCREEN_REPLICATES + DECIDE_REPLICATES);
	const struct usage nothing = { 0 };
	str_clear(why);
	if (budget_left_s(g) < next_s)
		str_addf(why,
			 "the time budget of %.4g h is used up (a reserve of %.0f s is kept to "
			 "confirm and report)",
			 g->state.hours, budget_reserve_s(g));
	else
		budget_is_spent(g, &nothing, why);
	return why->len ? why->text : NULL;
}
