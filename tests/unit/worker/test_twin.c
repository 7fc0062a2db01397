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
 * twice as fast as it was. Each of `nr_shapes` shapes has two replicates, of four twins each. */
static enum reason reason_of_first_replicate(unsigned nr_shapes, double factor)
{
	struct timed t;
	struct twin items[MOST];
	struct twins x = { .items = items, .nr = 8 * nr_shapes, .series = 2 * nr_shapes };
	timed_init(&t, 80000, 80000);
	struct result_shape shapes[2] = { t.shape, t.shape };
	t.w.result.shapes = shapes;
	t.w.result.nr_shapes = nr_shapes;
	for (unsigned i = 0; i < x.nr; i++) {
		unsigned series = 1 + i / 4;
		items[i] = (struct twin){ .shape = i / 8,
					  .series = series,
					  .candidate = series % 2 == 1 ? factor : 1,
					  .reference = 1 };
	}
	twins_check(&x, &t.w);
	return t.w.result.verdict.reason;
}

TEST(who_remembers_in_a_replicate_of_each_shape_remembers)
{
	CHECK_INT(reason_of_first_replicate(2, 2), REASON_remembered);
	CHECK_INT(reason_of_first_replicate(2, 1.4), REASON_ok);
}

/* A kernel that is slow at random was accused by four twins in a row. */
TEST(one_replicate_may_be_chance)
{
	CHECK_INT(reason_of_first_replicate(1, 3), REASON_ok);
}

/* `nr` replicates of three passes with a twin each: honest in the first, `factor` from the second
 * on. */
static enum reason reason_of_later_passes(unsigned nr, double factor)
{
	struct timed t;
	struct twin items[3 * MOST];
	struct twins x = { .items = items, .nr = 3 * (size_t)nr, .series = nr };
	timed_init(&t, 80000, 80000);
	for (unsigned i = 0; i < x.nr; i++)
		items[i] = (struct twin){ .series = 1 + i / 3,
					  .pass = i % 3,
					  .candidate = i % 3 ? factor : 1,
					  .reference = 1 };
	twins_check(&x, &t.w);
	return t.w.result.verdict.reason;
}

/* Who knew that no more twins come could work until then, and remember from then on. */
TEST(who_remembers_in_later_passes_only_remembers)
{
	CHECK_INT(reason_of_later_passes(8, 2), REASON_remembered);
	CHECK_INT(reason_of_later_passes(8, 1.4), REASON_ok);
	CHECK_INT(reason_of_later_passes(2, 3), REASON_ok); /* too few to tell from chance */
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
