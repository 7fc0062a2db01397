#include "worker/early.h"

#include "base/clock.h"
#include "test.h"
#include "timed.h"

enum { ROUNDS = 20 };

/* A window of `window_ns` whose sides took so long to stand ready, give or take a microsecond. */
static enum reason reason_of(uint64_t window_ns, uint64_t reference_ns, uint64_t candidate_ns,
			     bool is_contended)
{
	struct timed t;
	struct early x = { 0 };
	timed_init(&t, window_ns, window_ns);
	t.w.result.is_contended = is_contended;
	for (unsigned i = 0; i < ROUNDS; i++) {
		const uint64_t noise = i % 2 * 1000;
		/* Some wake-ups are late. */
		const uint64_t late = i % 5 == 0 ? 80000 : 0;
		early_note(&x, 0, SLOT_REFERENCE, reference_ns + noise);
		early_note(&x, 0, SLOT_CANDIDATE, candidate_ns + noise + late);
		early_note(&x, 0, SLOT_REFERENCE_AGAIN, reference_ns + noise + late);
	}
	early_check(&x, &t.w);
	early_release(&x);
	return t.w.result.verdict.reason;
}

TEST(who_takes_as_long_as_the_reference_to_stand_ready_passes)
{
	CHECK_INT(reason_of(80000, 8000, 8000, false), REASON_ok);
	CHECK_INT(reason_of(80000, 8000, 11000, false), REASON_ok);
	CHECK_INT(reason_of(NS_PER_MS, 30000, 50000, false), REASON_ok);
}

TEST(who_works_while_it_should_stand_ready_is_caught)
{
	CHECK_INT(reason_of(80000, 8000, 28000, false), REASON_clock_disagrees);
	CHECK_INT(reason_of(NS_PER_MS, 30000, 180000, false), REASON_clock_disagrees);
}

TEST(a_busy_machine_needs_more_to_accuse)
{
	CHECK_INT(reason_of(80000, 8000, 20000, false), REASON_clock_disagrees);
	CHECK_INT(reason_of(80000, 8000, 20000, true), REASON_ok);
	CHECK_INT(reason_of(80000, 8000, 80000, true), REASON_clock_disagrees);
}

static enum reason reason_when_awake(unsigned nr_awake)
{
	struct timed t;
	struct early x = { 0 };
	timed_init(&t, 80000, 80000);
	for (unsigned i = 0; i < ROUNDS; i++) {
		early_asleep(&x, 1000000 * (i + 1));
		early_called(&x, 1000000 * (i + 1) + (i < nr_awake ? 100000 : 500));
	}
	early_check(&x, &t.w);
	return t.w.result.verdict.reason;
}

TEST(who_works_between_its_calls_is_caught)
{
	CHECK_INT(reason_when_awake(0), REASON_ok);
	CHECK_INT(reason_when_awake(2), REASON_ok);
	CHECK_INT(reason_when_awake(ROUNDS / 2), REASON_cpu_after_return);
}

TEST(a_call_that_nobody_saw_it_sleep_before_says_nothing)
{
	struct early x = { 0 };
	early_called(&x, 5);
	early_asleep(&x, 7);
	early_called(&x, 7);
	early_called(&x, 900000);
	CHECK_INT(x.nr_sleeps, 1);
	CHECK_INT(x.nr_awake, 0);
}

TEST_MAIN()
