#include "engine/fate.h"

/* The rules (DESIGN.md 6 and 8): a wrong candidate is rolled back, a correct one stays even when it
 * is slower; only a decision of K=8 makes a best. */

#include "base/json.h"
#include "base/str.h"
#include "engine/best.h"
#include "engine/custody.h"
#include "engine/engine_in.h"
#include "engine/pairing.h"

static const struct state_round *round_at(const struct engine *g, unsigned number)
{
	return run_state_round(&g->state, number);
}

double fate_best_speedup(const struct engine *g)
{
	const struct state_best *best = run_state_best(&g->state);
	return best ? best->estimate.speedup : 1.0;
}

static bool is_new_best(const struct engine *g, const struct state_round *r)
{
	return r->verdict.state == VERDICT_PASS && estimate_is(&r->decide, "faster") &&
	       r->decide.speedup > fate_best_speedup(g);
}

static bool is_best_already(const struct engine *g, unsigned number)
{
	const struct state_best *best = run_state_best(&g->state);
	return best && best->round == number;
}

static int promote(struct engine *g, unsigned number, struct err *e)
{
	const struct state_round *r = round_at(g, number);
	AUTO_STR struct str why = STR_INIT;
	if (is_best_already(g, number) || !is_new_best(g, r))
		return 0;
	const struct custody_spec custody = { .round = number, .job = r->decide.job };
	int mismatch = custody_check(g, &custody, &why, e);
	if (mismatch < 0)
		return -1;
	if (mismatch)
		return engine_warn_once(g, e, "round %u is not promoted: %s", number, why.text);
	return engine_event(g, EVENT_best_changed, e, "{s:i, s:s, s:s, s:o}", "round", (int)number,
			    "decision", r->decision, "source", r->source, "estimate",
			    state_estimate_to_json(&r->decide));
}

int fate_promote(struct engine *g, unsigned number, struct err *e)
{
	if (promote(g, number, e) < 0)
		return -1;
	return best_write(g, e);
}

/* Slower than what it was applied to, by intervals that do not meet. */
static bool is_slower_than_base(const struct engine *g, const struct state_round *r)
{
	const struct state_round *base = round_at(g, r->base);
	double base_low = base ? state_round_estimate(base)->low : 1.0;
	return state_round_estimate(r)->high < base_low;
}

enum decision_fate fate_of_round(const struct engine *g, unsigned number)
{
	const struct state_round *r = round_at(g, number);
	if (!r->source || r->verdict.state == VERDICT_NONE)
		return FATE_NO_CANDIDATE;
	if (r->verdict.state != VERDICT_PASS)
		return FATE_ROLLED_BACK;
	if (is_best_already(g, number))
		return FATE_BEST;
	return is_slower_than_base(g, r) ? FATE_KEPT_SLOWER : FATE_KEPT;
}

enum round_outcome fate_outcome(enum decision_fate fate)
{
	if (fate == FATE_NO_CANDIDATE)
		return ROUND_NO_CANDIDATE;
	return fate == FATE_ROLLED_BACK ? ROUND_ROLLED_BACK : ROUND_KEPT;
}
