#include <math.h>

#include "base/clock.h"
#include "base/mem.h"
#include "test.h"
#include "timed.h"
#include "worker/agreement.h"
#include "worker/floor.h"
#include "worker/roofline.h"
#include "worker/times.h"

TEST(times_are_medians_of_calls_over_kept_rounds)
{
	struct timed t;
	timed_init(&t, 1000, 900);
	t.samples[1].ns = 9000;
	t.samples[3].ns = 1;
	t.samples[3].is_dropped = true;
	CHECK(times_call_ns(&t.w.result, 0, SLOT_CANDIDATE) == 500);
	CHECK(times_window_ns(&t.w.result, 0, SLOT_CANDIDATE) == 1000);
	CHECK(fabs(times_geomean_ns(&t.w.result, SLOT_REFERENCE) - 500) < 1e-9);
	CHECK(times_cores_used(&t.w.result, SLOT_REFERENCE) == 0.5);
	CHECK(times_call_ns(&t.w.result, 7, SLOT_CANDIDATE) == 0);
}

TEST(what_is_faster_than_memory_did_not_do_the_work)
{
	struct timed t;
	timed_init(&t, 20000, 19000); /* 64 MiB in 10 us: 6.7 TB/s */
	floor_check(&t.w);
	CHECK_TEXT(reason_name(t.w.result.verdict.reason), "below_floor");
	CHECK_TEXT(t.w.result.verdict.shape, "n");
}

TEST(a_call_that_memory_allows_passes)
{
	struct timed t;
	timed_init(&t, 2 * 60 * NS_PER_MS, 2 * 60 * NS_PER_MS); /* 1.1 GB/s */
	floor_check(&t.w);
	CHECK_INT(t.w.result.verdict.state, VERDICT_PASS);
	CHECK(t.w.roofline.read_bytes_per_s > 0);
}

/* The ceiling of a busy machine is too low: an honest call was once seen at 3.8 times of it. One
 * that no machine reaches is the best seen, whatever else runs beside this test. */
static enum reason at_times_the_ceiling(double factor, bool is_contended)
{
	const double ceiling = 1e12;
	struct timed t;
	uint64_t window_ns = (uint64_t)(2 * (64 << 20) / ceiling * 1e9 / factor);
	timed_init(&t, window_ns, window_ns);
	t.w.roofline.read_bytes_per_s = ceiling;
	t.w.result.is_contended = is_contended;
	floor_check(&t.w);
	return t.w.result.verdict.reason;
}

TEST(a_busy_machine_accuses_only_what_no_load_explains)
{
	CHECK_INT(at_times_the_ceiling(12, false), REASON_below_floor);
	CHECK_INT(at_times_the_ceiling(12, true), REASON_ok);
	CHECK_INT(at_times_the_ceiling(200, true), REASON_below_floor);
}

TEST(warm_operands_have_no_floor)
{
	struct timed t;
	timed_init(&t, 20000, 19000);
	t.w.job.is_cold = false;
	floor_check(&t.w);
	CHECK_INT(t.w.result.verdict.state, VERDICT_PASS);
}

TEST(a_runner_that_tells_another_time_has_been_tampered_with)
{
	static const struct {
		uint64_t inner_ns;
		enum reason reason;
	} rows[] = {
		{ 1000000 - 1000, REASON_ok },
		{ 1000000 - 90000, REASON_ok }, /* below a tenth: a late wake-up */
		{ 1000000 - 300000, REASON_clock_disagrees },
		{ 1000000 + 300000, REASON_clock_disagrees },
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct timed t;
		timed_init(&t, 1000000, rows[i].inner_ns);
		agreement_check(&t.w);
		CHECK_TEXT(reason_name(t.w.result.verdict.reason), reason_name(rows[i].reason));
	}
}

TEST(a_short_window_may_differ_by_a_wake_up)
{
	struct timed t;
	timed_init(&t, 100000, 60000);
	agreement_check(&t.w);
	CHECK_INT(t.w.result.verdict.state, VERDICT_PASS);
}

static enum reason with_gaps(uint64_t reference_ns, uint64_t candidate_ns)
{
	struct timed t;
	timed_init(&t, 400000, 400000 - candidate_ns);
	for (unsigned i = 0; i < ARRAY_LEN(t.samples); i++)
		if (t.samples[i].slot == SLOT_REFERENCE)
			t.samples[i].inner_ns = t.samples[i].ns - reference_ns;
	agreement_check(&t.w);
	return t.w.result.verdict.reason;
}

/* Whoever waits for a slow reference is woken late; a quick candidate finds everybody awake. */
TEST(a_quicker_bell_than_the_references_accuses_nobody)
{
	CHECK_INT(with_gaps(120000, 15000), REASON_ok);
	CHECK_INT(with_gaps(120000, 200000), REASON_ok);
	CHECK_INT(with_gaps(120000, 300000), REASON_clock_disagrees);
	CHECK_INT(with_gaps(5000, 100000), REASON_clock_disagrees);
}

TEST_MAIN()
