#include "worker/origin_time.h"

/*
 * The origins that are known call a kernel again and again on one set of operands, so this does,
 * too: the first timed group of a shape at one place. What a call wrote is looked at as in a trial.
 */

#include <stdlib.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/str.h"
#include "model/leaderboard.h"
#include "sys/side.h"
#include "worker/exclusive.h"
#include "worker/progress.h"
#include "worker/slot.h"

/* As in a trial. */
enum { NULL_SPINS = 500, NULL_FUTEXES = 41, CALL_FACTOR = 20, NR_SIDES = 2 };
#define CALL_MIN_NS (2 * NS_PER_S)

static const enum slot slots[NR_SIDES] = { SLOT_REFERENCE, SLOT_CANDIDATE };

struct origin {
	struct bench bench;
	const struct leaderboard *board;
	struct plan *plans;
	size_t nr_plans;
	double *ns[NR_SIDES]; /* per plan, by the rule's statistic */
	double *values;       /* of the repeats under way */
	uint64_t null_ns;
};

static bool plan_make(struct origin *o, struct plan *p, struct shape_cases *s)
{
	if (s->shape->held_out || !plan_init(p, o->bench.w, s))
		return false;
	p->nr_calls = 1;
	p->nr_sets = 1;
	p->nr_parts = 1;
	p->nr_rounds = o->board->repeats;
	p->nr_warmups = o->board->warmups;
	p->warms_pages = false;
	return true;
}

static void make_plans(struct origin *o, struct cases *cases)
{
	size_t nr_args = 1;
	o->plans = xcalloc(cases->nr, sizeof(*o->plans));
	for (size_t i = 0; i < cases->nr; i++) {
		struct plan *p = &o->plans[o->nr_plans];
		if (plan_make(o, p, &cases->shapes[i]))
			o->nr_plans++;
		else
			plan_release(p);
		if (cases->shapes[i].fp.nr > nr_args)
			nr_args = cases->shapes[i].fp.nr;
	}
	for (size_t k = 0; k < NR_SIDES; k++)
		o->ns[k] = xcalloc(o->nr_plans + 1, sizeof(*o->ns[k]));
	o->values = xcalloc(o->board->repeats, sizeof(*o->values));
	o->bench.args = xcalloc(nr_args, sizeof(*o->bench.args));
}

static void release(struct origin *o)
{
	for (size_t i = 0; i < o->nr_plans; i++)
		plan_release(&o->plans[i]);
	free(o->plans);
	for (size_t k = 0; k < NR_SIDES; k++)
		free(o->ns[k]);
	free(o->values);
	free(o->bench.args);
}

static int start_side(struct origin *o, enum slot slot, struct verdict *v, struct err *e)
{
	struct bench *b = &o->bench;
	const bool by_futex = b->w->task.threads > 1;
	const struct outcome_spec spec = { .party = slot_party(slot),
					   .regions = b->rotation->regions,
					   .nr_regions = ROTATION_REGIONS };
	int outcome = outcome_start(b->w, &spec, &b->sides[slot], v, e);
	if (outcome != OUTCOME_DONE)
		return outcome;
	outcome_raise_side(b->w, b->sides[slot]);
	outcome_raise(b->w);
	o->null_ns =
		side_null_rtt_ns(b->sides[slot], by_futex, by_futex ? NULL_FUTEXES : NULL_SPINS);
	outcome_lower(b->w);
	return o->null_ns == UINT64_MAX ? OUTCOME_LOST : OUTCOME_DONE;
}

static uint64_t call_deadline_ns(const struct plan *p)
{
	const uint64_t *ns = p->s->call_ns;
	uint64_t slow = ns[0] > ns[1] ? ns[0] : ns[1];
	return slow * CALL_FACTOR + CALL_MIN_NS;
}

static int time_shape(struct origin *o, struct plan *p, struct turn *turn, double *ns,
		      struct err *e)
{
	struct bench *b = &o->bench;
	const unsigned nr = p->nr_warmups + p->nr_rounds;
	b->call_deadline_ns = call_deadline_ns(p);
	rotation_place(b->rotation, p, &b->rng);
	rotation_args(p, 0, b->args);
	turn->plan = p;
	for (unsigned i = 0; i < nr; i++) {
		turn->is_warmup = i < p->nr_warmups;
		int outcome = slot_run(b, turn, e);
		if (outcome != OUTCOME_DONE)
			return outcome;
		if (turn->is_warmup)
			continue;
		uint64_t took = turn->time.ns;
		o->values[i - p->nr_warmups] = took > o->null_ns ? (double)(took - o->null_ns) : 1;
	}
	*ns = leaderboard_summary(o->board->statistic, o->values, p->nr_rounds);
	return OUTCOME_DONE;
}

static int time_side(struct origin *o, size_t side, struct turn *turn, struct err *e)
{
	struct bench *b = &o->bench;
	turn->slot = slots[side];
	int outcome = start_side(o, turn->slot, &turn->verdict, e);
	for (size_t i = 0; outcome == OUTCOME_DONE && i < o->nr_plans; i++)
		outcome = time_shape(o, &o->plans[i], turn, &o->ns[side][i], e);
	AUTO_SPEND(b->w, start_ns);
	side_free(&b->sides[turn->slot]);
	return outcome;
}

static int time_alone(struct origin *o, size_t side, struct turn *turn, struct err *e)
{
	AUTO_LOCK struct lock lock = LOCK_INIT;
	exclusive_take(o->bench.w, &lock);
	int outcome = time_side(o, side, turn, e);
	exclusive_give(o->bench.w, &lock);
	return outcome;
}

/* 0: timed; 1: the candidate has a verdict now; -1. */
static int retry_side(struct origin *o, size_t side, struct err *e)
{
	struct turn turn = { .slot = slots[side] };
	int outcome = OUTCOME_LOST;
	for (int i = 0; outcome == OUTCOME_LOST && i <= LOST_RETRIES; i++)
		outcome = time_alone(o, side, &turn, e);
	if (outcome == OUTCOME_LOST)
		return err_set(e, ERR_CHILD, "a runner was killed from outside %d times",
			       LOST_RETRIES + 1);
	if (outcome != OUTCOME_VERDICT)
		return outcome;
	if (turn.slot != SLOT_CANDIDATE)
		return err_set(e, ERR_INPUT, "the reference fails by the origin's rule: %s: %s",
			       reason_name(turn.verdict.reason), turn.verdict.detail);
	o->bench.w->result.verdict = turn.verdict;
	return 1;
}

static double across(const struct origin *o, size_t side)
{
	AUTO_FREE double *values = xcalloc(o->nr_plans, sizeof(*values));
	for (size_t i = 0; i < o->nr_plans; i++)
		values[i] = o->ns[side][i];
	return leaderboard_summary(o->board->across, values, o->nr_plans);
}

static void record(const struct origin *o)
{
	AUTO_STR struct str rule = STR_INIT;
	json_t *shapes = json_array();
	leaderboard_rule_print(o->board, &rule);
	for (size_t i = 0; i < o->nr_plans; i++)
		json_array_append_new(shapes, json_pack("{s:s, s:o, s:o}", "shape",
							o->plans[i].s->shape->name, "reference_ns",
							json_number(o->ns[0][i]), "candidate_ns",
							json_number(o->ns[1][i])));
	worker_record(o->bench.w, "origin",
		      json_pack("{s:s, s:s, s:o, s:o, s:o}", "name", o->board->name, "rule",
				rule.text, "shapes", shapes, "reference_ns",
				json_number(across(o, 0)), "candidate_ns",
				json_number(across(o, 1))));
}

static int time_all(struct origin *o, struct err *e)
{
	AUTO_ROTATION struct rotation rotation;
	if (rotation_make(&rotation, o->plans, o->nr_plans, o->board->is_cold, e) < 0)
		return -1;
	o->bench.rotation = &rotation;
	for (size_t side = 0; side < NR_SIDES; side++) {
		progress_print("origin", side, NR_SIDES);
		int rc = retry_side(o, side, e);
		if (rc != 0)
			return rc < 0 ? -1 : 0;
	}
	progress_print("origin", NR_SIDES, NR_SIDES);
	record(o);
	return 0;
}

int origin_time_run(struct worker *w, struct cases *cases, struct err *e)
{
	struct origin o = { .bench = { .w = w }, .board = w->task.leaderboard };
	o.bench.rng.seed = rng_derive(w->job.seed, "origin");
	make_plans(&o, cases);
	int rc = o.nr_plans ? time_all(&o, e) : 0;
	release(&o);
	return rc;
}
