#include "worker/effects.h"

#include <math.h>

#include "base/mem.h"
#include "base/rng.h"
#include "test.h"
#include "worker/alone.h"
#include "worker/slotorder.h"

/* Trials by hand, of two replicates: every effect is planted and found, and none is found where
 * there is none. */

enum { ROUNDS = 48, REPLICATES = 2, SAMPLES = REPLICATES * ROUNDS * SLOT_NR };

/* In shares of a time. */
struct planted {
	double drift;           /* of the candidate, over the rounds of a replicate */
	double reference_drift; /* of R, C and R' alike */
	double after_candidate; /* on whoever runs right after C in its round */
	double layout;          /* R' against R */
};

struct scene {
	struct sample samples[SAMPLES];
	struct result_shape shape;
	struct result r;
};

static double time_of(const struct planted *p, const struct slotorder *o, unsigned place,
		      double course)
{
	const enum slot slot = o->slots[place];
	double ns = 1e6 * (1 + p->reference_drift * course);
	if (slot == SLOT_CANDIDATE)
		ns *= 1 + p->drift * course;
	if (slot == SLOT_REFERENCE_AGAIN)
		ns *= 1 + p->layout;
	if (place && o->slots[place - 1] == SLOT_CANDIDATE)
		ns *= 1 + p->after_candidate;
	return ns;
}

static void make(struct scene *s, const struct planted *p)
{
	struct rng rng = { .seed = 5 };
	struct slotorder orders[ROUNDS];
	*s = (struct scene){ .shape = { .name = "n" } };
	s->r = (struct result){ .shapes = &s->shape, .nr_shapes = 1, .samples = s->samples };
	for (unsigned k = 0; k < REPLICATES; k++) {
		slotorder_draw(&rng, orders, ROUNDS);
		for (unsigned i = 0; i < ROUNDS * SLOT_NR; i++) {
			const unsigned round = i / SLOT_NR;
			const unsigned place = i % SLOT_NR;
			s->samples[s->r.nr_samples++] = (struct sample){
				.replicate = k,
				.round = round,
				.slot = orders[round].slots[place],
				.order = place,
				.calls = 1,
				.ns = (uint64_t)time_of(p, &orders[round], place,
							(double)round / ROUNDS),
			};
		}
	}
}

static struct effects effects(const struct planted *p)
{
	static struct scene s;
	make(&s, p);
	return effects_of(&s.r, 0);
}

static bool near(double a, double b)
{
	return fabs(a - b) < 1e-3;
}

TEST(nothing_is_found_where_nothing_is)
{
	struct effects x = effects(&(struct planted){ .layout = 0.07 });
	CHECK(near(x.drift, 0) && near(x.reference_drift, 0));
	CHECK(near(x.carry_over, 0) && near(x.after_candidate, 0));
}

TEST(a_candidate_that_grows_slower_drifts)
{
	struct effects x = effects(&(struct planted){ .drift = 0.1 });
	CHECK(near(x.drift, -1));
	CHECK(near(x.reference_drift, 0));
}

TEST(a_machine_that_grows_slower_drifts_without_the_ratio)
{
	struct effects x = effects(&(struct planted){ .reference_drift = 0.1 });
	CHECK(near(x.reference_drift, 1));
	CHECK(fabs(x.drift) < 0.7); /* what rounding to nanoseconds leaves */
}

TEST(what_a_candidate_leaves_behind_shows_in_who_runs_next)
{
	struct effects x = effects(&(struct planted){ .after_candidate = 0.05, .layout = 0.07 });
	CHECK(near(x.after_candidate, log(1.05)));
}

TEST(dropped_rounds_and_a_round_that_was_cut_off_do_not_count)
{
	static struct scene s;
	make(&s, &(struct planted){ 0 });
	for (unsigned i = 0; i < 6; i++) {
		s.samples[i].ns *= i == 1 ? 50 : 1;
		s.samples[i].is_dropped = true;
	}
	s.r.nr_samples -= 2;
	struct effects x = effects_of(&s.r, 0);
	CHECK(near(x.drift, 0) && near(x.carry_over, 0) && near(x.after_candidate, 0));
}

TEST(a_result_without_samples_has_no_effects)
{
	struct result r = { 0 };
	struct effects x = effects_of(&r, 0);
	CHECK(near(x.drift, 0) && near(x.after_candidate, 0));
}

static struct alone alone_at(double ns)
{
	struct alone a = { .nr = 3 };
	for (unsigned i = 0; i < ALONE_ROUNDS; i++)
		a.ns[SLOT_REFERENCE][i] = a.ns[SLOT_REFERENCE_AGAIN][i] = ns;
	return a;
}

TEST(a_reference_that_is_slower_beside_the_candidate_is_noticed)
{
	static struct scene s;
	make(&s, &(struct planted){ 0 });
	const struct alone as_quick = alone_at(1e6);
	const struct alone quicker = alone_at(1e6 / 1.1);
	CHECK(near(alone_slowdown(&as_quick, 0, &s.r), 0));
	CHECK(near(alone_slowdown(&quicker, 1, &s.r), log(1.1)));
	CHECK(isnan(alone_slowdown(&quicker, 7, &s.r)));
}

/* Round j alone is held against round j of the trial, for they use the same contents. */
TEST(contents_that_cost_more_are_compared_with_themselves)
{
	static struct scene s;
	make(&s, &(struct planted){ 0 });
	struct alone a = alone_at(1e6);
	for (unsigned i = 0; i < SAMPLES; i++)
		s.samples[i].ns *= 1 + s.samples[i].round % 3;
	for (unsigned i = 0; i < a.nr; i++) {
		a.ns[SLOT_REFERENCE][i] *= 1 + i % 3;
		a.ns[SLOT_REFERENCE_AGAIN][i] *= 1 + i % 3;
	}
	CHECK(near(alone_slowdown(&a, 0, &s.r), 0));
}

TEST_MAIN()
