#include "engine/decide.h"

/* A closed round is open for decision until a round_decided event names it. Where several are, the
 * newest is decided, since it holds the work of those before it; where the screens put another one
 * clearly above it, that one. The others are settled by the same decision, unless their screens lie
 * wholly above what it found: then a screen misled, and the next one is decided too. */

#include "base/err.h"
#include "base/json.h"
#include "base/str.h"
#include "engine/engine_in.h"
#include "engine/fate.h"
#include "engine/measure.h"

/* 1 % is the smallest effect that the decision rule calls at all. A screen decides nothing; it only
 * saves a decision where even its best replicate, widened by this much, stays below what a new best
 * has to pass. */
#define LEAST_EFFECT 1.01

static bool is_open(const struct state_round *r)
{
	return r->outcome == ROUND_KEPT && !r->is_settled;
}

static bool is_screened_only(const struct state_round *r)
{
	return r->verdict.state == VERDICT_PASS && r->screen.call && !r->decide.call;
}

static bool is_worth_deciding(const struct engine *g, const struct state_round *r)
{
	double best = fate_best_speedup(g);
	double bar = best > LEAST_EFFECT ? best : LEAST_EFFECT;
	return is_open(r) && is_screened_only(r) && r->screen.high * LEAST_EFFECT >= bar;
}

static bool is_clearly_above(const struct state_round *a, const struct state_round *b)
{
	return a->screen.low > b->screen.high * LEAST_EFFECT;
}

static bool is_beaten(const struct engine *g, const struct state_round *r)
{
	for (size_t i = 0; i < g->state.nr_rounds; i++) {
		const struct state_round *other = &g->state.rounds[i];
		if (is_worth_deciding(g, other) && is_clearly_above(other, r))
			return true;
	}
	return false;
}

unsigned decide_unfinished(const struct engine *g)
{
	for (size_t i = 0; i < g->state.nr_rounds; i++) {
		const struct state_round *r = &g->state.rounds[i];
		if (is_open(r) && (r->decide.call || r->verdict.state != VERDICT_PASS))
			return r->number;
	}
	return 0;
}

unsigned decide_pick(const struct engine *g)
{
	for (size_t i = g->state.nr_rounds; i > 0; i--) {
		const struct state_round *r = &g->state.rounds[i - 1];
		if (is_worth_deciding(g, r) && !is_beaten(g, r))
			return r->number;
	}
	return 0;
}

bool decide_is_left_behind(const struct engine *g, const char *milestone)
{
	for (size_t i = 0; i < g->state.nr_rounds; i++) {
		const struct state_round *r = &g->state.rounds[i];
		if (is_worth_deciding(g, r) && !str_equal(r->milestone, milestone))
			return true;
	}
	return false;
}

/* Is `r` settled by the decision about `decided`? Rows of one milestone share it. A decision
 * without an answer settles itself only. */
static bool is_settled_by(const struct state_round *r, const struct state_round *decided)
{
	if (r->number == decided->number)
		return true;
	if (r->curriculum != decided->curriculum || !str_equal(r->milestone, decided->milestone))
		return false;
	return decided->verdict.state == VERDICT_PASS && decided->decide.call &&
	       r->screen.low <= decided->decide.speedup * LEAST_EFFECT;
}

static json_t *settled_rounds(const struct engine *g, const struct state_round *decided)
{
	json_t *list = json_array();
	for (size_t i = 0; i < g->state.nr_rounds; i++) {
		const struct state_round *r = &g->state.rounds[i];
		if (is_open(r) && is_settled_by(r, decided))
			json_array_append_new(list, json_integer(r->number));
	}
	return list;
}

static int record(struct engine *g, unsigned number, struct err *e)
{
	enum decision_fate fate = fate_of_round(g, number);
	return engine_event(g, EVENT_round_decided, e, "{s:i, s:s, s:s, s:o}", "round", (int)number,
			    "outcome", round_outcome_name(fate_outcome(fate)), "fate",
			    decision_fate_name(fate), "settled",
			    settled_rounds(g, run_state_round(&g->state, number)));
}

int decide_go(struct engine *g, unsigned number, struct err *e)
{
	if (decide_unfinished(g) != number && measure_decide(g, number, e) < 0 &&
	    measure_bear_failure(g, number, "decision", e) < 0)
		return -1;
	if (fate_promote(g, number, e) < 0)
		return -1;
	return record(g, number, e);
}
