#include "worker/passes.h"

#include <math.h>

#include "base/clock.h"
#include "model/result.h"
#include "test.h"
#include "worker/worker.h"

enum { ROUNDS = 8 };

/* R' is by so many per cent longer than R in round i; the candidate is somewhere. */
static void make_rounds(struct sample *s, const double *percent)
{
	for (unsigned i = 0; i < ROUNDS; i++) {
		const unsigned first = i % SLOT_NR; /* in any order */
		for (unsigned k = 0; k < SLOT_NR; k++) {
			const enum slot slot = (enum slot)((first + k) % SLOT_NR);
			uint64_t ns = 1000000 + 77777 * i;
			if (slot == SLOT_REFERENCE_AGAIN)
				ns = (uint64_t)((double)ns * (1 + percent[i] / 100));
			if (slot == SLOT_CANDIDATE)
				ns = 10 + i * i * 12345;
			s[i * SLOT_NR + k] = (struct sample){ .slot = slot, .round = i, .ns = ns };
		}
	}
}

struct bed {
	struct worker w;
	struct shape_cases cases;
	struct plan plan;
	struct sample samples[ROUNDS * SLOT_NR];
};

static void make_bed(struct bed *b, const double *percent)
{
	*b = (struct bed){ 0 };
	b->w.job.replicates = 8;
	b->cases.call_ns[PARTY_REFERENCE] = 10000;
	b->cases.call_ns[PARTY_CANDIDATE] = 9000;
	b->plan.s = &b->cases;
	make_rounds(b->samples, percent);
}

static bool goes_on(const struct bed *b, unsigned done)
{
	return passes_go_on(&b->w, &b->plan, done, b->samples, ROUNDS * SLOT_NR);
}

static const double calm[ROUNDS] = { 0.1, -0.1, 0.2, 0, 0.1, -0.2, 0.1, 0 };
static const double rough[ROUNDS] = { 5, -4, 8, 0.5, -6, 3, -2, 1 };

TEST(scatter_is_that_of_the_reference_against_itself)
{
	/* Deviations of 1 %: ln(1.01), and two rounds of nothing. */
	const double percent[ROUNDS] = { 1, 1, 1, -1, -1, -1, 0, 0 };
	struct sample s[ROUNDS * SLOT_NR];
	make_rounds(s, percent);
	const double want = 1.2533 * 1.4826 * 0.01 / sqrt(ROUNDS);
	CHECK(fabs(passes_scatter(s, ROUNDS * SLOT_NR) - want) < 1e-4);
	CHECK(isnan(passes_scatter(s, 0)));
}

TEST(a_reference_at_rest_is_enough)
{
	struct bed b;
	make_bed(&b, calm);
	CHECK(!goes_on(&b, 1));
}

TEST(a_reference_that_scatters_gets_more_rounds_up_to_a_bound)
{
	struct bed b;
	make_bed(&b, rough);
	const unsigned most = passes_most(&b.w, &b.plan);
	CHECK(most > 1);
	CHECK(goes_on(&b, 1));
	CHECK(goes_on(&b, most - 1));
	CHECK(!goes_on(&b, most));
}

TEST(sides_far_apart_and_screens_get_one_pass)
{
	struct bed b;
	make_bed(&b, rough);
	b.cases.call_ns[PARTY_CANDIDATE] = 4000;
	CHECK_INT(passes_most(&b.w, &b.plan), 1);
	CHECK(!goes_on(&b, 1));
	make_bed(&b, rough);
	b.w.job.replicates = SCREEN_REPLICATES;
	CHECK_INT(passes_most(&b.w, &b.plan), 1);
	CHECK(!goes_on(&b, 1));
}

TEST(no_pass_begins_that_has_no_time)
{
	struct worker w = { .job.replicates = 8, .deadline_ns = clock_mono_ns() + 100 * NS_PER_S };
	CHECK(passes_have_time(&w, 0, 1, NS_PER_S));
	CHECK(passes_have_time(&w, 0, 3, 6 * NS_PER_S));
	CHECK(!passes_have_time(&w, 0, 3, 7 * NS_PER_S)); /* nine seconds with the next */
	w.deadline_ns = clock_mono_ns() + 10 * NS_PER_S;
	CHECK(!passes_have_time(&w, 0, 1, NS_PER_S));
	CHECK(passes_have_time(&w, 7, 1, NS_PER_S));
}

TEST_MAIN()
