#include "worker/timing.h"

#include "base/clock.h"
#include "base/err.h"
#include "base/json.h"
#include "test.h"
#include "timed.h"

/* Trials made by hand: each takes 1 ms by the worker's clock, the candidate's runner tells what is
 * on the list, one entry a trial. */
struct told {
	struct timed t; /* first: the worker in it is what a trial gets */
	const uint64_t *inner_ns;
	unsigned nr_trials;
};

enum { FAILS = 1, HONEST_NS = 999000, LIE_NS = 500000 };

static int trial(struct worker *w, struct cases *cases, struct err *e)
{
	struct told *told = (struct told *)(void *)w;
	struct result *r = &w->result;
	const uint64_t inner_ns = told->inner_ns[told->nr_trials++];
	(void)cases;
	CHECK_INT(r->nr_samples, 0);
	CHECK_INT(r->verdict.state, VERDICT_PASS);
	if (inner_ns == FAILS)
		return err_set(e, ERR_TIMEOUT, "as told");
	r->nr_samples = ARRAY_LEN(told->t.samples);
	for (size_t i = 0; i < r->nr_samples; i++)
		if (r->samples[i].slot == SLOT_CANDIDATE)
			r->samples[i].inner_ns = inner_ns;
	return 0;
}

static void told_init(struct told *told, const uint64_t *inner_ns)
{
	timed_init(&told->t, NS_PER_MS, HONEST_NS);
	told->inner_ns = inner_ns;
	told->nr_trials = 0;
	told->t.w.job.is_cold = false; /* no ceiling of the memory is measured */
	told->t.w.result.doc = json_object();
}

static int run(struct told *told, const uint64_t *inner_ns, struct err *e)
{
	told_init(told, inner_ns);
	return timing_run(&told->t.w, NULL, trial, e);
}

static void check_notes(const struct told *told, size_t nr)
{
	const json_t *notes = json_object_get(told->t.w.result.doc, "notes");
	CHECK_INT(json_array_size(notes), nr);
	for (size_t i = 0; i < nr; i++)
		CHECK(strstr(json_string_value(json_array_get(notes, i)), "timed once more"));
	json_decref(told->t.w.result.doc);
}

TEST(clocks_that_agree_are_asked_once)
{
	struct err e = { 0 };
	struct told told;
	CHECK_OK(run(&told, (const uint64_t[]){ HONEST_NS }, &e));
	CHECK_INT(told.nr_trials, 1);
	CHECK_INT(told.t.w.result.verdict.reason, REASON_ok);
	check_notes(&told, 0);
}

TEST(a_clock_that_was_held_up_once_accuses_nobody)
{
	struct err e = { 0 };
	struct told told;
	CHECK_OK(run(&told, (const uint64_t[]){ LIE_NS, HONEST_NS }, &e));
	CHECK_INT(told.nr_trials, 2);
	CHECK_INT(told.t.w.result.verdict.reason, REASON_ok);
	CHECK_INT(told.t.w.result.nr_samples, ARRAY_LEN(told.t.samples));
	check_notes(&told, 1);
}

TEST(a_runner_that_lies_whenever_it_is_asked_has_been_tampered_with)
{
	struct err e = { 0 };
	struct told told;
	CHECK_OK(run(&told, (const uint64_t[]){ LIE_NS, LIE_NS, LIE_NS }, &e));
	CHECK_INT(told.nr_trials, TIMING_TRIES);
	CHECK_INT(told.t.w.result.verdict.reason, REASON_clock_disagrees);
	check_notes(&told, TIMING_TRIES - 1);
}

TEST(a_trial_that_fails_is_not_repeated)
{
	struct err e = { 0 };
	struct told told;
	CHECK(run(&told, (const uint64_t[]){ LIE_NS, FAILS }, &e) < 0);
	CHECK_TEXT(e.text, "as told");
	CHECK_INT(told.nr_trials, 2);
	check_notes(&told, 1);
}

/* Crashed, say, while it was timed: that is the verdict, whatever the clocks say. */
static int trial_that_crashes(struct worker *w, struct cases *cases, struct err *e)
{
	int rc = trial(w, cases, e);
	w->result.verdict = verdict_make(REASON_crashed, "as told");
	return rc;
}

TEST(a_candidate_that_failed_is_not_timed_again)
{
	struct err e = { 0 };
	struct told told;
	told_init(&told, (const uint64_t[]){ LIE_NS });
	CHECK_OK(timing_run(&told.t.w, NULL, trial_that_crashes, &e));
	CHECK_INT(told.nr_trials, 1);
	CHECK_INT(told.t.w.result.verdict.reason, REASON_crashed);
	check_notes(&told, 0);
}

/* Nine times the CPU time that one thread has: in the first trial, or with seed 0 in all. */
static int trial_of_many_cores(struct worker *w, struct cases *cases, struct err *e)
{
	struct told *told = (struct told *)(void *)w;
	const bool is_busy = told->nr_trials < 1 + (w->job.seed == 0 ? TIMING_TRIES : 0);
	int rc = trial(w, cases, e);
	for (size_t i = 0; i < w->result.nr_samples; i++) {
		struct sample *s = &w->result.samples[i];
		s->cpu_ns = is_busy && s->slot == SLOT_CANDIDATE ? 9 * NS_PER_MS : NS_PER_MS;
	}
	return rc;
}

TEST(cpu_time_that_was_too_much_once_accuses_nobody)
{
	static const uint64_t honest[] = { HONEST_NS, HONEST_NS, HONEST_NS };
	struct err e = { 0 };
	struct told told;
	told_init(&told, honest);
	told.t.w.job.seed = 1;
	CHECK_OK(timing_run(&told.t.w, NULL, trial_of_many_cores, &e));
	CHECK_INT(told.nr_trials, 2);
	CHECK_INT(told.t.w.result.verdict.reason, REASON_ok);
	check_notes(&told, 1);
}

TEST(cpu_time_that_is_too_much_in_every_trial_is_a_verdict)
{
	static const uint64_t honest[] = { HONEST_NS, HONEST_NS, HONEST_NS };
	struct err e = { 0 };
	struct told told;
	told_init(&told, honest);
	CHECK_OK(timing_run(&told.t.w, NULL, trial_of_many_cores, &e));
	CHECK_INT(told.nr_trials, TIMING_TRIES);
	CHECK_INT(told.t.w.result.verdict.reason, REASON_extra_cores);
	check_notes(&told, TIMING_TRIES - 1);
}

TEST_MAIN()
