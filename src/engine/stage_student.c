#include "engine/engine_in.h"

/* Stage 5, the inner loop: finish what was under way, then rows one by one, decisions and the
 * teacher in between, until no row is left, the budget is used up, or there was no curriculum to
 * begin with. */

#include "base/err.h"
#include "base/str.h"
#include "engine/best.h"
#include "engine/budget.h"
#include "engine/control.h"
#include "engine/course.h"
#include "engine/decide.h"
#include "engine/diagnose.h"
#include "engine/gates.h"
#include "engine/outer.h"
#include "engine/publish.h"
#include "engine/round.h"
#include "engine/structure.h"

static int end_loop(struct engine *g, const char *reason, struct err *e)
{
	bool is_short = g->course_version && !outer_is_goal_reached(&g->state);
	if (is_short && diagnose(g, 0, e) < 0)
		return -1;
	return engine_event(g, EVENT_loop_ended, e, "{s:s}", "reason", reason);
}

/* What an earlier session left open. */
static int finish_open(struct engine *g, struct err *e)
{
	const char *trigger = outer_open(g);
	if (trigger)
		return outer_enter(g, trigger, e);
	size_t nr = g->state.nr_rounds;
	if (nr && g->state.rounds[nr - 1].outcome == ROUND_OPEN)
		return round_go(g, (unsigned)nr, e);
	unsigned number = decide_unfinished(g);
	return number ? decide_go(g, number, e) : 0;
}

static int run_row(struct engine *g, const struct course_row *row, struct err *e)
{
	if (round_start(g, row, e) < 0)
		return -1;
	return round_go(g, (unsigned)g->state.nr_rounds, e);
}

static bool is_a_milestone_spent(const struct engine *g)
{
	for (size_t i = 0; i < g->course.nr_milestones; i++)
		if (run_state_is_milestone_spent(&g->state, g->course.milestones[i].id))
			return true;
	return false;
}

static int end_exhausted(struct engine *g, struct err *e)
{
	return end_loop(
		g,
		is_a_milestone_spent(g)
			? "every row of the curriculum has had its round, is blocked, or its "
			  "milestone's budget is used up"
			: "every row of the curriculum has had its round or is blocked",
		e);
}

/* What the next turn of the loop has to go by. */
struct outlook {
	struct course_row row;
	bool is_exhausted; /* no row is ready */
	bool is_over;      /* the budget is used up */
};

/* Somebody acts on the best next: the teacher, the next milestone, the confirmation. The control
 * arm has no milestones, so no round of it shares a decision. */
static bool is_decision_due(const struct engine *g, const struct outlook *o)
{
	return g->state.is_control || o->is_over || o->is_exhausted || outer_trigger(g, false) ||
	       decide_is_left_behind(g, o->row.m->id);
}

static int go_on(struct engine *g, const struct outlook *o, struct err *e)
{
	size_t behind = o->is_exhausted ? g->course.nr_milestones : o->row.milestone;
	if (gates_close_before(g, behind, e) < 0)
		return -1;
	const char *trigger = outer_trigger(g, o->is_exhausted);
	if (trigger)
		return outer_enter(g, trigger, e);
	return o->is_exhausted ? end_exhausted(g, e) : run_row(g, &o->row, e);
}

/* One turn of the loop: a decision, an entry of the teacher, a round, or the end. */
static int step(struct engine *g, struct err *e)
{
	AUTO_STR struct str why = STR_INIT;
	struct outlook o = { 0 };
	if (publish_load(g, e) < 0)
		return -1;
	if (budget_warn(g, e) < 0)
		return -1;
	o.is_over = budget_end(g, &why);
	if (!g->state.is_control)
		o.is_exhausted = !course_next(&g->state, &g->course, &o.row);
	unsigned number = is_decision_due(g, &o) ? decide_pick(g) : 0;
	if (number)
		return decide_go(g, number, e);
	if (o.is_over)
		return end_loop(g, why.text, e);
	return g->state.is_control ? control_step(g, e) : go_on(g, &o, e);
}

int stage_student(struct engine *g, struct err *e)
{
	if (!g->state.loop_end && !run_state_curriculum(&g->state) && !control_is_goal_only(g))
		return end_loop(g, "there is no curriculum", e);
	if (publish_load(g, e) < 0 || structure_check(g, e) < 0)
		return -1;
	if (!g->state.loop_end && finish_open(g, e) < 0)
		return -1;
	while (!g->state.loop_end) {
		if (engine_is_stopped(g))
			return engine_stop(g, e);
		if (step(g, e) < 0)
			return -1;
	}
	return best_write(g, e);
}
