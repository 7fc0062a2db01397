#include "worker/twin.h"

#include "test.h"
#include "timed.h"

enum { MOST = 16 };

/* `nr` twins cost the candidate `factor` times its round, but for the first of each eight, which
 * was lucky; the reference `of_reference` times. */
static enum reason reason_of(size_t nr, double factor, double of_reference, bool is_contended)
{
	struct timed t;
	struct twin items[MOST];
	struct twins x = { .items = items, .nr = nr };
	timed_init(&t, 80000, 80000);
	t.w.result.is_contended = is_contended;
	for (size_t i = 0; i < nr; i++)
		items[i] = (struct twin){ .candidate = nr > 8 && i % 16 == 0 ? 1 : factor,
					  .reference = of_reference,
					  .has_waited = is_contended };
	twins_check(&x, &t.w);
	return t.w.result.verdict.reason;
}

TEST(who_pays_for_twins_remembers)
{
	CHECK_INT(reason_of(4, 1.4, 1, false), REASON_ok);
	CHECK_INT(reason_of(4, 1.6, 1, false), REASON_remembered);
	CHECK_INT(reason_of(16, 1.6, 1, false), REASON_remembered);
}

/* Seen: a kernel kept answers in one replicate, found its memory overwritten in the other, and was
 * twice as fast as it was. */
static enum reason reason_of_first_replicate(unsigned nr_of_first, double factor)
{
	struct timed t;
	struct twin items[8];
	struct twins x = { .items = items, .nr = 8, .series = 2 };
	timed_init(&t, 80000, 80000);
	for (unsigned i = 0; i < 8; i++) {
		unsigned series = i < nr_of_first ? 1 : 2;
		items[i] = (struct twin){ .series = series,
					  .candidate = series == 1 ? factor : 1,
					  .reference = 1 };
	}
	twins_check(&x, &t.w);
	return t.w.result.verdict.reason;
}

/* `nr` of eight waited for a core, and look as if they remembered nothing. */
static enum reason reason_of_waiting(unsigned nr, double factor)
{
	struct timed t;
	struct twin items[8];
	struct twins x = { .items = items, .nr = 8 };
	timed_init(&t, 80000, 80000);
	t.w.result.is_contended = true;
	for (unsigned i = 0; i < 8; i++)
		items[i] = (struct twin){ .candidate = i < nr ? 0.1 : factor,
					  .reference = 1,
					  .has_waited = i < nr };
	twins_check(&x, &t.w);
	return t.w.result.verdict.reason;
}

/* Seen: a preempted round made the twins after it look quick. */
TEST(who_waited_for_a_core_is_no_witness_where_others_are)
{
	CHECK_INT(reason_of_waiting(2, 1.6), REASON_remembered);
	CHECK_INT(reason_of_waiting(2, 1.4), REASON_ok);
	CHECK_INT(reason_of_waiting(5, 1.6), REASON_remembered);
	CHECK_INT(reason_of_waiting(6, 9), REASON_ok);
	CHECK(twin_waits(6, 100) && !twin_waits(4, 100));
}

TEST(who_remembers_in_one_replicate_remembers)
{
	CHECK_INT(reason_of_first_replicate(4, 2), REASON_remembered);
	CHECK_INT(reason_of_first_replicate(4, 1.4), REASON_ok);
	CHECK_INT(reason_of_first_replicate(3, 2), REASON_ok);
}

TEST(what_the_reference_paid_as_well_is_no_memory)
{
	CHECK_INT(reason_of(4, 1.6, 1.5, false), REASON_ok);
	CHECK_INT(reason_of(4, 1.6, 0.5, false), REASON_remembered);
}

TEST(two_twins_say_nothing)
{
	CHECK_INT(reason_of(2, 9, 1, false), REASON_ok);
}

TEST(in_a_contended_job_many_twins_say_more_than_few)
{
	CHECK_INT(reason_of(4, 2.5, 1, true), REASON_ok);
	CHECK_INT(reason_of(4, 3.5, 1, true), REASON_remembered);
	CHECK_INT(reason_of(8, 1.9, 1, true), REASON_ok);
	CHECK_INT(reason_of(8, 2.5, 1, true), REASON_remembered);
}

/* A window of 8 us that something held up for 12 us, once, was all that a job knew of its twins. */
TEST(what_is_too_short_to_accuse_counts_as_innocent)
{
	CHECK(twin_factor(19e3, 8e3) == 1);
	CHECK(twin_factor(6e3, 8e3) == 0.75);
	CHECK(twin_factor(40e3, 8e3) == 5);
}

TEST_MAIN()
