#include "worker/alone.h"

/*
 * Compared round by round, since contents differ in what they cost: round j alone used the same
 * sets as round j of the trial. A median over few rounds is coarse; it is a covariate, and the rule
 * asks all replicates (stats/paired.h).
 */

#include <math.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "stats/summary.h"

/* Long samples scatter less, and have to end. */
enum { LONG_ROUNDS = 2 };
#define LONG_NS (5 * NS_PER_MS)

static const enum slot slots[] = { SLOT_REFERENCE, SLOT_REFERENCE_AGAIN };

static unsigned choose_rounds(const struct plan *p)
{
	const unsigned part = p->nr_rounds / p->nr_parts;
	const bool is_long = p->s->call_ns[PARTY_REFERENCE] * p->nr_calls > LONG_NS;
	const unsigned most = is_long ? LONG_ROUNDS : ALONE_ROUNDS;
	if (plan_is_far_apart(p))
		return 1;
	return part < most ? part : most;
}

static double call_ns(const struct alone *a, const struct turn *turn)
{
	const uint64_t ns = turn->time.ns > a->null_ns ? turn->time.ns - a->null_ns : 1;
	return (double)ns / turn->plan->nr_calls;
}

/* R and R' take turns in being first. */
static int run_round(struct bench *b, struct alone *a, const unsigned copies[SLOT_NR],
		     struct turn *turn, struct err *e)
{
	rotation_args(turn->plan, turn->round, b->args);
	for (unsigned i = 0; i < ARRAY_LEN(slots); i++) {
		turn->slot = slots[(turn->round + i) % ARRAY_LEN(slots)];
		turn->copy = copies[turn->slot];
		int outcome = slot_run(b, turn, e);
		if (outcome != OUTCOME_DONE)
			return outcome;
		if (!turn->is_warmup)
			a->ns[turn->slot][turn->round] = call_ns(a, turn);
	}
	return OUTCOME_DONE;
}

static int run_rounds(struct bench *b, struct alone *a, const unsigned copies[SLOT_NR],
		      struct turn *turn, struct err *e)
{
	const unsigned nr = turn->is_warmup ? turn->plan->nr_warmups : choose_rounds(turn->plan);
	int outcome = OUTCOME_DONE;
	for (unsigned i = 0; outcome == OUTCOME_DONE && i < nr; i++) {
		turn->round = i;
		outcome = run_round(b, a, copies, turn, e);
	}
	return outcome;
}

int alone_run(struct bench *b, struct alone *a, const unsigned copies[SLOT_NR], struct turn *turn,
	      struct err *e)
{
	turn->is_warmup = true;
	int outcome = run_rounds(b, a, copies, turn, e);
	turn->is_warmup = false;
	if (outcome == OUTCOME_DONE)
		outcome = run_rounds(b, a, copies, turn, e);
	if (outcome == OUTCOME_DONE)
		a->nr = choose_rounds(turn->plan);
	turn->round = 0;
	return outcome;
}

/* Median over rounds of ln(beside / alone) for one slot. */
static double slot_slowdown(const struct alone *a, unsigned replicate, const struct result *r,
			    enum slot slot)
{
	double ratios[ALONE_ROUNDS];
	size_t nr = 0;
	for (size_t i = 0; i < r->nr_samples && nr < ALONE_ROUNDS; i++) {
		const struct sample *s = &r->samples[i];
		if (s->replicate != replicate || s->shape != a->shape || s->slot != slot ||
		    s->round >= a->nr || s->is_dropped)
			continue;
		ratios[nr++] = log((double)s->ns / s->calls / a->ns[slot][s->round]);
	}
	return summary_median(ratios, nr);
}

double alone_slowdown(const struct alone *a, unsigned replicate, const struct result *r)
{
	return (slot_slowdown(a, replicate, r, SLOT_REFERENCE) +
		slot_slowdown(a, replicate, r, SLOT_REFERENCE_AGAIN)) /
	       2;
}

static json_t *times_to_json(const struct alone *a, enum slot slot)
{
	json_t *list = json_array();
	for (unsigned i = 0; i < a->nr; i++)
		json_array_append_new(list, json_number(a->ns[slot][i]));
	return list;
}

json_t *alone_to_json(const struct alone *a, unsigned replicate, const struct result *r)
{
	const double slowdown = alone_slowdown(a, replicate, r);
	json_t *obj = json_object();
	json_object_set_new(obj, "replicate", json_integer((json_int_t)replicate));
	json_object_set_new(obj, "shape", json_string(r->shapes[a->shape].name));
	json_object_set_new(obj, "reference_ns", times_to_json(a, SLOT_REFERENCE));
	json_object_set_new(obj, "again_ns", times_to_json(a, SLOT_REFERENCE_AGAIN));
	json_object_set_new(obj, "slowdown",
			    isnan(slowdown) ? json_null() : json_number(expm1(slowdown)));
	return obj;
}
