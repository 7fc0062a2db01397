#include <math.h>

#include "base/clock.h"
#include "base/mem.h"
#include "test.h"
#include "timed.h"
#include "worker/agreement.h"
#include "worker/cores.h"
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

/* Arithmetic at this many times a ceiling that no machine reaches. */
static enum reason at_times_the_arithmetic(double factor, const struct arg *arg)
{
	const double ceiling = 1e15;
	struct timed t;
	timed_init(&t, 2 * NS_PER_MS, 2 * NS_PER_MS); /* two calls */
	t.shape.bytes = 0;
	t.shape.flops = factor * ceiling / 1e3;
	t.w.roofline.f32_flops_per_s = ceiling;
	t.w.job.is_cold = false;
	t.w.task.nr_args = arg ? 1 : 0;
	t.w.task.args = (struct arg *)(uintptr_t)arg;
	floor_check(&t.w);
	return t.w.result.verdict.reason;
}

TEST(what_is_faster_than_arithmetic_did_not_do_the_work)
{
	CHECK_INT(at_times_the_arithmetic(16, NULL), REASON_below_floor);
	CHECK_INT(at_times_the_arithmetic(0.9, NULL), REASON_ok);
}

/* An algorithm may need a quarter of the reference's arithmetic. */
TEST(a_better_algorithm_is_not_below_the_floor)
{
	CHECK_INT(at_times_the_arithmetic(4, NULL), REASON_ok);
}

TEST(narrow_numbers_are_quicker_than_the_ceiling_of_wide_ones)
{
	const struct arg arg = { .role = ARG_IN, .dtype = DTYPE_I8 };
	CHECK_INT(at_times_the_arithmetic(16, &arg), REASON_ok);
	CHECK_INT(at_times_the_arithmetic(64, &arg), REASON_below_floor);
}

/* The candidate's CPU time a sample, and the reference's; windows of 10 ms. */
static enum reason with_cpu_time(unsigned threads, uint64_t candidate_ms, uint64_t reference_ms)
{
	struct timed t;
	timed_init(&t, 10 * NS_PER_MS, 10 * NS_PER_MS);
	t.w.task.threads = threads;
	for (size_t i = 0; i < ARRAY_LEN(t.samples); i++)
		t.samples[i].cpu_ns =
			NS_PER_MS *
			(t.samples[i].slot == SLOT_CANDIDATE ? candidate_ms : reference_ms);
	cores_check(&t.w);
	return t.w.result.verdict.reason;
}

TEST(a_kernel_that_used_more_cores_than_it_may_has_tampered)
{
	CHECK_INT(with_cpu_time(1, 20, 10), REASON_extra_cores);
	CHECK_INT(with_cpu_time(2, 20, 10), REASON_ok);
	CHECK_INT(with_cpu_time(2, 30, 20), REASON_extra_cores);
	CHECK_INT(with_cpu_time(4, 40, 20), REASON_ok);
}

TEST(what_is_counted_beside_the_window_accuses_nobody)
{
	CHECK_INT(with_cpu_time(1, 12, 10), REASON_ok);
	CHECK_INT(with_cpu_time(2, 24, 10), REASON_ok);
	/* What the reference has as well is the machine's. */
	CHECK_INT(with_cpu_time(1, 20, 20), REASON_ok);
}

/* Seen with two threads on two cores that six other processes wanted. */
TEST(the_last_spins_of_a_pool_in_a_short_window_accuse_nobody)
{
	struct timed t;
	timed_init(&t, 349 * NS_PER_US, 349 * NS_PER_US);
	t.w.task.threads = 2;
	for (size_t i = 0; i < ARRAY_LEN(t.samples); i++)
		t.samples[i].cpu_ns = 956 * NS_PER_US;
	for (size_t i = 0; i < ARRAY_LEN(t.samples); i++)
		if (t.samples[i].slot == SLOT_REFERENCE)
			t.samples[i].cpu_ns = 349 * NS_PER_US;
	cores_check(&t.w);
	CHECK_INT(t.w.result.verdict.reason, REASON_ok);
}

TEST(a_contended_job_accuses_nobody_of_using_cores)
{
	struct timed t;
	timed_init(&t, 10 * NS_PER_MS, 10 * NS_PER_MS);
	for (size_t i = 0; i < ARRAY_LEN(t.samples); i++)
		if (t.samples[i].slot == SLOT_CANDIDATE)
			t.samples[i].cpu_ns = 90 * NS_PER_MS;
	t.w.result.is_contended = true;
	cores_check(&t.w);
	CHECK_INT(t.w.result.verdict.reason, REASON_ok);
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
