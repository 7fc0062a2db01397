#include "engine/budget.h"

/* Working time is what the log has recorded plus what this session has spent since its last event;
 * wall time between sessions costs nothing. */

#include <math.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/str.h"
#include "engine/dispatch.h"
#include "engine/engine_in.h"
#include "engine/jobs.h"
#include "model/limits.h"

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
/* What is left when a budget is warned of for the last time: a model that hears it can still
 * answer.
 */
#define SCARCE_SHARE 0.2

static const char scarce_note[] = "little of the budget is left: answer soon, with the best you "
				  "have";

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

struct budget_of budget_of_turn(const struct engine *g, const char *role, const char *purpose)
{
	const struct run_state *s = &g->state;
	const struct state_round *r = s->nr_rounds ? &s->rounds[s->nr_rounds - 1] : NULL;
	bool is_round = r && str_starts(purpose, "round-") && !s->is_control;
	return (struct budget_of){ .role = role, .milestone = is_round ? r->milestone : "" };
}

/* One who has limits: the run, a role, a milestone. */
struct scope {
	const char *name;
	const struct limits *limits;
	struct spending spent;
};
enum { SCOPES_OF_TURN = 3 };

static struct scope scope_of(const struct engine *g, const char *name, const struct usage *more)
{
	struct scope scope = { .name = name,
			       .limits = run_state_limits(&g->state, name),
			       .spent = run_state_spending(&g->state, name) };
	usage_add(&scope.spent.used, more);
	return scope;
}

static bool is_of_run(const struct scope *scope)
{
	return str_equal(scope->name, limits_scope_name(LIMITS_RUN));
}

static size_t scopes_of(const struct engine *g, const struct budget_of *of,
			const struct usage *more, struct scope *out)
{
	size_t nr = 0;
	out[nr++] = scope_of(g, limits_scope_name(LIMITS_RUN), more);
	out[nr++] = scope_of(g, of->role, more);
	if (of->milestone[0])
		out[nr++] = scope_of(g, of->milestone, more);
	return nr;
}

/* Of a milestone the round that is open counts, too. */
static double scope_left_s(const struct engine *g, const struct scope *scope)
{
	const struct run_state *s = &g->state;
	const struct state_round *r = s->nr_rounds ? &s->rounds[s->nr_rounds - 1] : NULL;
	double spent_s = scope->spent.seconds;
	if (r && r->outcome == ROUND_OPEN && str_equal(r->milestone, scope->name))
		spent_s += elapsed_now_s(s) - r->started_s -
			   (state_free_s(&s->clocks) - r->free_s) - g->waiting_s;
	return limits_get(scope->limits, RESOURCE_TIME) - spent_s;
}

double budget_turn_deadline_s(const struct engine *g, const struct budget_of *of, double usual)
{
	const struct usage nothing = { 0 };
	struct scope scopes[SCOPES_OF_TURN];
	size_t nr = scopes_of(g, of, &nothing, scopes);
	double left = is_in_loop(g) ? fmin(budget_left_s(g), usual) : usual;
	for (size_t i = 0; i < nr; i++)
		if (!is_of_run(&scopes[i]) && limits_has(scopes[i].limits, RESOURCE_TIME))
			left = fmin(left, scope_left_s(g, &scopes[i]));
	return left >= usual ? usual : fmax(left, TURN_LEAST_S);
}

static unsigned reached(double share)
{
	return share >= 1 ? 100 : share >= 0.8 ? 80 : share >= 0.5 ? 50 : 0;
}

static int warn_of(struct engine *g, const struct scope *scope, enum resource r, struct err *e)
{
	double limit = limits_get(scope->limits, r);
	double used = spending_amount(&scope->spent, r);
	unsigned percent = limit > 0 ? reached(used / limit) : 0;
	if (percent <= run_state_warned(&g->state, scope->name, r))
		return 0;
	json_t *name = is_of_run(scope) ? NULL : json_string(scope->name);
	return engine_event(g, EVENT_budget_spent, e, "{s:o*, s:s, s:i, s:f, s:f}", "scope", name,
			    "resource", resource_name(r), "percent", (int)percent, "used", used,
			    "limit", limit);
}

static int warn_of_scope(struct engine *g, const char *name, struct err *e)
{
	const struct usage nothing = { 0 };
	struct scope scope = scope_of(g, name, &nothing);
	if (is_of_run(&scope))
		scope.spent.seconds = used_s(g);
	for (int r = 0; r < RESOURCE_NR; r++)
		if (warn_of(g, &scope, (enum resource)r, e) < 0)
			return -1;
	return 0;
}

/* Each milestone that has a round, once. */
static int warn_of_milestones(struct engine *g, struct err *e)
{
	for (size_t i = 0; g->state.limits[LIMITS_MILESTONE].set && i < g->state.nr_rounds; i++) {
		const char *id = g->state.rounds[i].milestone;
		size_t first = 0;
		while (!str_equal(g->state.rounds[first].milestone, id))
			first++;
		if (first == i && warn_of_scope(g, id, e) < 0)
			return -1;
	}
	return 0;
}

int budget_warn(struct engine *g, struct err *e)
{
	for (int i = LIMITS_RUN; i <= LIMITS_STUDENT; i++)
		if (warn_of_scope(g, limits_scope_name((enum limits_scope)i), e) < 0)
			return -1;
	return g->state.is_control ? 0 : warn_of_milestones(g, e);
}

/* "the teacher's token budget of 900 is used up, and 100 more". */
static void describe_spent(const struct scope *scope, enum resource r, struct str *why)
{
	double limit = limits_get(scope->limits, r);
	double more = spending_amount(&scope->spent, r) - limit;
	bool has_unit = r == RESOURCE_USD || r == RESOURCE_TIME;
	limits_print_name(scope->name, r, why);
	str_add(why, " of ");
	if (has_unit)
		resource_print(r, limit, why);
	else
		str_addf(why, "%.0f", limit);
	str_add(why, " is used up");
	if (more <= 0 || r == RESOURCE_TIME)
		return;
	str_add(why, ", and ");
	if (has_unit)
		resource_print(r, more, why);
	else
		str_addf(why, "%.0f", more);
	str_add(why, " more");
}

/* The run's hours are the loop's and have a reserve: budget_end looks at them. */
static bool is_scope_spent(const struct scope *scope, bool is_time_only, struct str *why)
{
	int last = is_time_only ? RESOURCE_TIME + 1 : RESOURCE_NR;
	for (int i = is_of_run(scope) ? RESOURCE_TIME + 1 : RESOURCE_TIME; i < last; i++) {
		enum resource r = (enum resource)i;
		if (!limits_is_over(scope->limits, &scope->spent, r))
			continue;
		describe_spent(scope, r, why);
		return true;
	}
	return false;
}

static bool is_any_spent(const struct engine *g, const struct budget_of *of,
			 const struct usage *more, bool is_time_only, struct str *why)
{
	struct scope scopes[SCOPES_OF_TURN];
	size_t nr = scopes_of(g, of, more, scopes);
	for (size_t i = 0; i < nr; i++)
		if (is_scope_spent(&scopes[i], is_time_only, why))
			return true;
	return false;
}

bool budget_is_spent(const struct engine *g, const struct budget_of *of, const struct usage *more,
		     struct str *why)
{
	return is_any_spent(g, of, more, false, why);
}

bool budget_is_late(const struct engine *g, const struct budget_of *of, struct str *why)
{
	const struct usage nothing = { 0 };
	return is_any_spent(g, of, &nothing, true, why);
}

/* What is left of one resource for all who limit it: the least. Negative: nobody does. */
static double least_left(const struct scope *scopes, size_t nr, enum resource r, bool *is_scarce)
{
	double least = -1;
	for (size_t i = 0; i < nr; i++) {
		double limit = limits_get(scopes[i].limits, r);
		double left = fmax(limit - spending_amount(&scopes[i].spent, r), 0);
		if (!limits_has(scopes[i].limits, r))
			continue;
		*is_scarce |= left <= SCARCE_SHARE * limit;
		least = least < 0 ? left : fmin(least, left);
	}
	return least;
}

json_t *budget_left(const struct engine *g, const struct budget_of *of, const struct usage *more)
{
	struct scope scopes[SCOPES_OF_TURN];
	size_t nr = scopes_of(g, of, more, scopes);
	bool is_scarce = false;
	json_t *left = json_object();
	for (int i = RESOURCE_TIME + 1; i < RESOURCE_NR; i++) {
		enum resource r = (enum resource)i;
		double least = least_left(scopes, nr, r, &is_scarce);
		if (least >= 0)
			json_object_set_new(left, resource_name(r),
					    r == RESOURCE_USD ? json_real(least)
							      : json_integer((json_int_t)least));
	}
	if (is_scarce)
		json_object_set_new(left, "note", json_string(scarce_note));
	return left;
}

const char *budget_end(const struct engine *g, struct str *why)
{
	/* A round is screened, and the decision that it shares falls due at the latest now. */
	double next_s = job_expected_s(g, SCREEN_REPLICATES + DECIDE_REPLICATES);
	const struct usage nothing = { 0 };
	const struct budget_of student = { limits_scope_name(LIMITS_STUDENT), "" };
	str_clear(why);
	if (budget_left_s(g) < next_s)
		str_addf(why,
			 "the time budget of %.4g h is used up (a reserve of %.0f s is kept to "
			 "confirm and report)",
			 g->state.hours, budget_reserve_s(g));
	else
		budget_is_spent(g, &student, &nothing, why);
	return why->len ? why->text : NULL;
}
