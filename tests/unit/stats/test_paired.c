#include <math.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/rng.h"
#include "stats/paired.h"
#include "stats/summary.h"
#include "test.h"

static bool near(double a, double b)
{
	return fabs(a - b) <= 1e-9 * fmax(1, fabs(b));
}

/* What a simulated machine does; all in ln. */
struct plan {
	unsigned nr_shapes;
	unsigned nr_replicates;
	unsigned nr_rounds;
	double gain;       /* true ln(R/C) */
	double layout_std; /* per replicate, on C */
	double again_std;  /* per replicate, on R' */
	double noise_std;  /* per sample */
	double spike_rate; /* samples that take ten times as long */
	double drift;      /* common to all slots, over a replicate */
	uint64_t seed;
};

static double bell(struct rng *rng)
{
	double sum = 0;
	for (int i = 0; i < 12; i++)
		sum += rng_unit(rng);
	return sum - 6;
}

static double sample(struct rng *rng, const struct plan *p, double base)
{
	double spike = rng_unit(rng) < p->spike_rate ? log(10) : 0;
	return 1e5 * exp(base + p->noise_std * bell(rng) + spike);
}

/* Rounds of a trial; yours. */
static struct paired_round *simulate(const struct plan *p, struct paired_spec *spec)
{
	struct rng rng = { .seed = p->seed };
	size_t nr = (size_t)p->nr_shapes * p->nr_replicates * p->nr_rounds;
	struct paired_round *rounds = xcalloc(nr, sizeof(*rounds));
	double layout = 0;
	double again = 0;
	for (size_t i = 0; i < nr; i++) {
		unsigned j = (unsigned)(i % p->nr_rounds);
		if (j == 0) {
			layout = p->layout_std * bell(&rng);
			again = p->again_std * bell(&rng);
		}
		double drift = p->drift * j / p->nr_rounds;
		rounds[i] = (struct paired_round){
			.shape = (unsigned)(i / p->nr_rounds / p->nr_replicates),
			.replicate = (unsigned)(i / p->nr_rounds % p->nr_replicates),
			.round = j,
			.reference_ns = sample(&rng, p, drift),
			.candidate_ns = sample(&rng, p, drift + layout - p->gain),
			.again_ns = sample(&rng, p, drift + again),
			.is_reference_first = rng_next(&rng) & 1,
		};
	}
	*spec = (struct paired_spec){ .rounds = rounds,
				      .nr_rounds = nr,
				      .nr_shapes = p->nr_shapes,
				      .nr_replicates = p->nr_replicates };
	return rounds;
}

static struct estimate evaluate(const struct plan *p)
{
	struct err e = { 0 };
	struct paired_spec spec;
	AUTO_FREE struct paired_round *rounds = simulate(p, &spec);
	AUTO_PAIRED struct paired got = { 0 };
	CHECK(spec.rounds == rounds);
	CHECK_OK(paired_evaluate(&got, &spec, &e));
	return got.all;
}

static unsigned count_calls(struct plan p, enum call call, unsigned nr_trials)
{
	unsigned nr = 0;
	for (unsigned t = 0; t < nr_trials; t++) {
		p.seed = rng_hash(77, t);
		nr += evaluate(&p).call == call;
	}
	return nr;
}

/* One replicate per entry of theta, `nr_rounds` identical rounds each. */
static struct estimate of_thetas(const double *theta, unsigned nr, double phi, double historic)
{
	struct err e = { 0 };
	struct paired_round rounds[64];
	unsigned n = 0;
	for (unsigned k = 0; k < nr; k++) {
		for (unsigned j = 0; j < 3; j++)
			rounds[n++] =
				(struct paired_round){ .replicate = k,
						       .round = j,
						       .reference_ns = 1000 * exp(theta[k]),
						       .candidate_ns = 1000,
						       .again_ns = 1000 * exp(theta[k] + phi) };
	}
	struct paired_spec spec = { .rounds = rounds,
				    .nr_rounds = n,
				    .nr_shapes = 1,
				    .nr_replicates = nr,
				    .historic_floor = historic };
	AUTO_PAIRED struct paired got = { 0 };
	CHECK_OK(paired_evaluate(&got, &spec, &e));
	return got.all;
}

TEST(faster_needs_every_replicate_beyond_one_percent)
{
	double all[] = { 0.011, 0.02, 0.03 };
	double one_short[] = { 0.0099, 0.2, 0.3 };
	CHECK_INT(of_thetas(all, 3, 0, 0).call, CALL_FASTER);
	CHECK_INT(of_thetas(one_short, 3, 0, 0).call, CALL_UNDECIDED);
}

TEST(slower_is_the_mirror_of_faster)
{
	double all[] = { -0.011, -0.02, -0.03 };
	double one_short[] = { -0.0099, -0.2, -0.3 };
	CHECK_INT(of_thetas(all, 3, 0, 0).call, CALL_SLOWER);
	CHECK_INT(of_thetas(one_short, 3, 0, 0).call, CALL_UNDECIDED);
}

TEST(the_noise_of_the_reference_against_itself_raises_the_bar)
{
	double theta[] = { 0.05, 0.05 };
	struct estimate quiet = of_thetas(theta, 2, 0.04, 0);
	struct estimate noisy = of_thetas(theta, 2, -0.06, 0);
	CHECK(near(quiet.floor, 0.04) && near(quiet.delta, log(1.04)));
	CHECK_INT(quiet.call, CALL_FASTER);
	CHECK(near(noisy.floor, 0.06) && near(noisy.delta, log(1.06)));
	CHECK_INT(noisy.call, CALL_UNDECIDED);
}

TEST(a_historic_floor_raises_the_bar_and_never_lowers_it)
{
	double theta[] = { 0.05, 0.05 };
	CHECK_INT(of_thetas(theta, 2, 0, 0.06).call, CALL_UNDECIDED);
	CHECK(near(of_thetas(theta, 2, 0.03, 0.02).floor, 0.03));
}

/* Two shapes at 4 % in both replicates, rounds without noise. */
static struct paired at_four_percent(const double *floors, const double *beside)
{
	struct err e = { 0 };
	static struct paired_round rounds[4];
	for (unsigned i = 0; i < ARRAY_LEN(rounds); i++)
		rounds[i] = (struct paired_round){ .shape = i / 2,
						   .replicate = i % 2,
						   .reference_ns = 1040,
						   .candidate_ns = 1000,
						   .again_ns = 1040 };
	const struct paired_spec spec = { .rounds = rounds,
					  .nr_rounds = ARRAY_LEN(rounds),
					  .nr_shapes = 2,
					  .nr_replicates = 2,
					  .shape_floors = floors,
					  .beside = beside,
					  .nr_beside = beside ? 2 : 0 };
	struct paired got = { 0 };
	CHECK_OK(paired_evaluate(&got, &spec, &e));
	return got;
}

TEST(every_shape_has_the_stored_floor_of_its_class_and_all_have_the_mean)
{
	AUTO_PAIRED struct paired got = at_four_percent((const double[]){ 0.05, 0.02 }, NULL);
	CHECK_INT(got.shapes[0].call, CALL_UNDECIDED);
	CHECK_INT(got.shapes[1].call, CALL_FASTER);
	CHECK(near(got.shapes[0].floor, 0.05) && near(got.all.floor, 0.035));
	CHECK_INT(got.all.call, CALL_FASTER);
}

TEST(a_stored_floor_that_is_no_fraction_is_refused)
{
	struct err e = { 0 };
	const double bad[] = { NAN };
	struct paired_round r = { .reference_ns = 1, .candidate_ns = 1, .again_ns = 1 };
	const struct paired_spec spec = { .rounds = &r,
					  .nr_rounds = 1,
					  .nr_shapes = 1,
					  .nr_replicates = 1,
					  .shape_floors = bad };
	struct paired got;
	CHECK(paired_evaluate(&got, &spec, &e) < 0);
	CHECK(strstr(e.text, "not a fraction"));
}

TEST(a_candidate_beside_which_the_reference_is_slow_is_marked)
{
	AUTO_PAIRED struct paired quiet = at_four_percent(NULL, (const double[]){ 0.005, 0.03 });
	AUTO_PAIRED struct paired slow = at_four_percent(NULL, (const double[]){ 0.02, 0.03 });
	CHECK(!quiet.all.is_reference_slowed && near(quiet.all.beside, 0.0175));
	CHECK(slow.all.is_reference_slowed && near(slow.all.beside, 0.025));
	CHECK_INT(slow.all.call, CALL_FASTER); /* a little is a remark and no more */
}

TEST(what_the_reference_lost_beside_the_candidate_is_not_its_gain)
{
	AUTO_PAIRED struct paired got = at_four_percent(NULL, (const double[]){ 0.06, 0.08 });
	CHECK(got.all.is_reference_slowed && near(got.all.floor, expm1(0.07)));
	CHECK_INT(got.all.call, CALL_UNDECIDED);
	CHECK_INT(got.shapes[1].call, CALL_UNDECIDED);
}

TEST(one_replicate_in_which_the_reference_was_as_quick_acquits)
{
	AUTO_PAIRED struct paired got = at_four_percent(NULL, (const double[]){ 0.5, -0.01 });
	CHECK(!got.all.is_reference_slowed);
	CHECK_INT(got.all.call, CALL_FASTER);
}

TEST(the_interval_is_the_range_of_the_replicates)
{
	double theta[] = { 0.1, 0.3, 0.2 };
	struct estimate got = of_thetas(theta, 3, 0, 0);
	CHECK(near(got.speedup, exp(0.2)));
	CHECK(near(got.low, exp(0.1)) && near(got.high, exp(0.3)));
	CHECK(near(got.confidence, 0.75) && near(got.alpha, 0.125));
	CHECK_INT(got.replicates, 3);
	CHECK_INT(got.nr_used, 9);
}

TEST(the_bounds_of_two_eight_and_sixteen_replicates_are_as_documented)
{
	static const struct {
		unsigned k;
		double alpha;
		double confidence;
	} rows[] = { { 2, 0.25, 0.5 }, { 8, 0x1p-8, 1 - 0x1p-7 }, { 16, 0x1p-16, 1 - 0x1p-15 } };
	double theta[16] = { 0 };
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct estimate got = of_thetas(theta, rows[i].k, 0, 0);
		CHECK(near(got.alpha, rows[i].alpha));
		CHECK(near(got.confidence, rows[i].confidence));
	}
}

TEST(shapes_weigh_the_same_in_the_geometric_mean)
{
	struct err e = { 0 };
	struct paired_round rounds[] = {
		{ .shape = 1, .reference_ns = 8e6, .candidate_ns = 4e6, .again_ns = 8e6 },
		{ .shape = 0, .reference_ns = 80, .candidate_ns = 10, .again_ns = 80 },
	};
	struct paired_spec spec = {
		.rounds = rounds, .nr_rounds = 2, .nr_shapes = 2, .nr_replicates = 1
	};
	AUTO_PAIRED struct paired got = { 0 };
	CHECK_OK(paired_evaluate(&got, &spec, &e));
	CHECK_INT(got.nr_shapes, 2);
	CHECK(near(got.shapes[0].speedup, 8) && near(got.shapes[1].speedup, 2));
	CHECK(near(got.shapes[0].reference_ns, 80) && near(got.shapes[1].candidate_ns, 4e6));
	CHECK(near(got.all.speedup, 4));
	CHECK(isnan(got.all.reference_ns));
}

/* Ten rounds; the first `nr_dropped` are dropped and look four times as fast. */
static struct estimate with_dropped(unsigned nr_dropped)
{
	struct err e = { 0 };
	struct paired_round rounds[10];
	for (unsigned j = 0; j < 10; j++)
		rounds[j] = (struct paired_round){ .round = j,
						   .reference_ns = j < nr_dropped ? 400 : 100,
						   .candidate_ns = 100,
						   .again_ns = 100,
						   .is_dropped = j < nr_dropped };
	struct paired_spec spec = {
		.rounds = rounds, .nr_rounds = 10, .nr_shapes = 1, .nr_replicates = 1
	};
	AUTO_PAIRED struct paired got = { 0 };
	CHECK_OK(paired_evaluate(&got, &spec, &e));
	return got.all;
}

TEST(dropped_rounds_do_not_count)
{
	CHECK(near(with_dropped(6).speedup, 1));
	CHECK_INT(with_dropped(6).nr_used, 4);
	CHECK_INT(with_dropped(6).nr_dropped, 6);
}

TEST(when_most_rounds_were_disturbed_all_are_kept)
{
	CHECK(near(with_dropped(7).speedup, 4));
	CHECK_INT(with_dropped(7).nr_used, 10);
	CHECK_INT(with_dropped(7).nr_dropped, 0);
}

static void refuse(struct paired_spec spec, const char *why)
{
	struct err e = { 0 };
	AUTO_PAIRED struct paired got = { 0 };
	CHECK(paired_evaluate(&got, &spec, &e) < 0);
	CHECK_INT(e.kind, ERR_INPUT);
	if (!strstr(e.text, why))
		printf("# got: %s\n", e.text);
	CHECK(strstr(e.text, why));
	CHECK(!got.shapes);
}

static void refuse_round(struct paired_round r, const char *why)
{
	struct paired_spec spec = {
		.rounds = &r, .nr_rounds = 1, .nr_shapes = 1, .nr_replicates = 1
	};
	refuse(spec, why);
}

TEST(what_can_not_be_evaluated_is_refused)
{
	struct paired_round good = { .reference_ns = 1, .candidate_ns = 1, .again_ns = 1 };
	struct paired_round r = good;
	r.shape = 1;
	refuse_round(r, "no such shape");
	r = good;
	r.replicate = 1;
	refuse_round(r, "no such shape");
	r = good;
	r.reference_ns = 0;
	refuse_round(r, "not usable");
	r = good;
	r.candidate_ns = -1;
	refuse_round(r, "not usable");
	r = good;
	r.again_ns = INFINITY;
	refuse_round(r, "not usable");
	r = good;
	r.again_ns = NAN;
	refuse_round(r, "not usable");
}

TEST(an_incomplete_trial_is_refused)
{
	struct paired_round at[] = {
		{ .shape = 0, .reference_ns = 1, .candidate_ns = 1, .again_ns = 1 },
		{ .shape = 1, .replicate = 1, .reference_ns = 1, .candidate_ns = 1, .again_ns = 1 },
	};
	struct paired_spec spec = {
		.rounds = at, .nr_rounds = 2, .nr_shapes = 2, .nr_replicates = 2
	};
	refuse(spec, "shape 0 has no round in replicate 1");
	at[1].shape = 0;
	refuse(spec, "shape 1 has no round in replicate 0");
	at[1].replicate = 0;
	refuse(spec, "shape 0 has no round in replicate 1");
	at[0].replicate = 1;
	at[1].replicate = 1;
	refuse(spec, "shape 0 has no round in replicate 0");
	spec.nr_rounds = 0;
	refuse(spec, "shape 0 has no round in replicate 0");
	spec.nr_shapes = 0;
	refuse(spec, "no shapes");
	spec.nr_shapes = 1;
	spec.nr_replicates = 0;
	refuse(spec, "no shapes");
}

TEST(a_historic_floor_that_is_no_fraction_is_refused)
{
	struct paired_round r = { .reference_ns = 1, .candidate_ns = 1, .again_ns = 1 };
	struct paired_spec spec = {
		.rounds = &r, .nr_rounds = 1, .nr_shapes = 1, .nr_replicates = 1
	};
	double bad[] = { NAN, -0.1, INFINITY };
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		spec.historic_floor = bad[i];
		refuse(spec, "historic");
	}
}

TEST(the_order_of_the_rounds_in_memory_does_not_matter)
{
	struct err e = { 0 };
	struct plan p = { .nr_shapes = 2, .nr_replicates = 3, .nr_rounds = 9, .noise_std = 0.1 };
	struct paired_spec spec;
	AUTO_FREE struct paired_round *rounds = simulate(&p, &spec);
	AUTO_PAIRED struct paired before = { 0 };
	CHECK_OK(paired_evaluate(&before, &spec, &e));
	for (size_t i = 0; i < spec.nr_rounds / 2; i++) {
		struct paired_round swap = rounds[i];
		rounds[i] = rounds[spec.nr_rounds - 1 - i];
		rounds[spec.nr_rounds - 1 - i] = swap;
	}
	AUTO_PAIRED struct paired after = { 0 };
	CHECK_OK(paired_evaluate(&after, &spec, &e));
	CHECK(before.all.speedup == after.all.speedup);
	CHECK(before.all.drift == after.all.drift);
	CHECK(before.shapes[1].low == after.shapes[1].low);
}

/* The worst null there is: the median replicate gains exactly the margin, so that every replicate
 * is a fair coin. R' is the reference itself, so the floor adds nothing. */
static struct plan coin(unsigned nr_replicates)
{
	return (struct plan){ .nr_shapes = 1,
			      .nr_replicates = nr_replicates,
			      .nr_rounds = 5,
			      .gain = log(1.01),
			      .layout_std = 0.02 };
}

TEST(at_the_margin_a_screen_of_two_calls_faster_in_a_quarter_of_the_trials)
{
	unsigned nr = count_calls(coin(2), CALL_FASTER, 4000);
	CHECK(nr > 880 && nr < 1120); /* 1000 +- 4.4 sigma */
}

TEST(at_the_margin_eight_replicates_call_faster_in_one_of_256_trials)
{
	unsigned nr = count_calls(coin(8), CALL_FASTER, 8000);
	CHECK(nr > 7 && nr < 58); /* 31 +- 4.4 sigma */
}

/* A machine as seen: per-replicate layout effects, noise, spikes, drift. */
static struct plan machine(unsigned nr_replicates, double gain)
{
	return (struct plan){ .nr_shapes = 3,
			      .nr_replicates = nr_replicates,
			      .nr_rounds = 15,
			      .gain = gain,
			      .layout_std = 0.004,
			      .again_std = 0.004,
			      .noise_std = 0.03,
			      .spike_rate = 0.05,
			      .drift = 0.3 };
}

TEST(equal_kernels_are_hardly_ever_called_faster_or_slower)
{
	CHECK(count_calls(machine(8, 0), CALL_FASTER, 300) == 0);
	CHECK(count_calls(machine(8, 0), CALL_SLOWER, 300) == 0);
	CHECK(count_calls(machine(2, 0), CALL_FASTER, 300) <= 12);
}

TEST(five_percent_are_called_in_nine_of_ten_trials)
{
	CHECK(count_calls(machine(8, 0.05), CALL_FASTER, 200) >= 180);
	CHECK(count_calls(machine(8, -0.05), CALL_SLOWER, 200) >= 180);
}

TEST(the_estimate_is_near_the_truth_in_spite_of_spikes_and_drift)
{
	struct estimate got = evaluate(&(struct plan){ .nr_shapes = 2,
						       .nr_replicates = 8,
						       .nr_rounds = 31,
						       .gain = log(1.2),
						       .noise_std = 0.02,
						       .spike_rate = 0.1,
						       .drift = 1 });
	CHECK(got.call == CALL_FASTER);
	CHECK(got.speedup > 1.19 && got.speedup < 1.21);
	CHECK(got.low <= got.speedup && got.speedup <= got.high);
	CHECK(got.round_low < got.speedup && got.speedup < got.round_high);
	CHECK(fabs(got.drift) < 0.2);
}

/* One replicate, the candidate's time is ns[j]. */
static struct estimate of_candidate(const double *ns, unsigned nr, const bool *is_reference_first)
{
	struct err e = { 0 };
	struct paired_round rounds[16] = { 0 };
	for (unsigned j = 0; j < nr; j++)
		rounds[j] = (struct paired_round){ .round = j,
						   .reference_ns = 100,
						   .candidate_ns = ns[j],
						   .again_ns = 100,
						   .is_reference_first = is_reference_first[j] };
	struct paired_spec spec = {
		.rounds = rounds, .nr_rounds = nr, .nr_shapes = 1, .nr_replicates = 1
	};
	AUTO_PAIRED struct paired got = { 0 };
	CHECK_OK(paired_evaluate(&got, &spec, &e));
	return got.all;
}

TEST(a_candidate_that_warms_up_shows_as_drift)
{
	double ns[] = { 100, 90, 80, 70, 60 };
	bool first[] = { true, false, true, false, true };
	CHECK(near(of_candidate(ns, 5, first).drift, 1));
}

TEST(a_candidate_that_profits_from_running_second_shows_as_carry_over)
{
	double ns[] = { 50, 100, 50, 100 };
	bool mixed[] = { true, false, true, false };
	bool always[] = { true, true, true, true };
	CHECK(near(of_candidate(ns, 4, mixed).carry_over, log(2)));
	CHECK(near(of_candidate(ns, 4, always).carry_over, 0));
}

TEST(calls_have_names)
{
	CHECK_TEXT(call_name(CALL_FASTER), "faster");
	CHECK_TEXT(call_name(CALL_SLOWER), "slower");
	CHECK_TEXT(call_name(CALL_UNDECIDED), "undecided");
}

TEST_MAIN()
