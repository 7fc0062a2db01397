#include <math.h>

#include "base/mem.h"
#include "base/rng.h"
#include "stats/summary.h"
#include "test.h"

static bool near(double a, double b)
{
	return fabs(a - b) <= 1e-12 * fmax(1, fabs(b));
}

TEST(the_median_of_an_even_number_is_the_middle)
{
	double odd[] = { 5, 1, 3 };
	double even[] = { 4, 1, 3, 2 };
	CHECK(near(summary_median(odd, 3), 3));
	CHECK(near(summary_median(even, 4), 2.5));
	CHECK(odd[0] == 5 && even[0] == 4);
}

TEST(nothing_has_no_median)
{
	CHECK(isnan(summary_median(NULL, 0)));
	CHECK(isnan(summary_mad(NULL, 0)));
	CHECK(isnan(summary_mean(NULL, 0)));
	CHECK(isnan(summary_geomean(NULL, 0)));
	CHECK(isnan(summary_spearman(NULL, NULL, 0)));
	CHECK(isnan(summary_median_interval(NULL, 0, 0.01).low));
}

TEST(quantiles_are_linear_between_order_statistics)
{
	double v[] = { 10, 20, 30, 40, 50 };
	CHECK(near(summary_quantile(v, 5, 0), 10));
	CHECK(near(summary_quantile(v, 5, 1), 50));
	CHECK(near(summary_quantile(v, 5, 0.25), 20));
	CHECK(near(summary_quantile(v, 5, 0.9), 46));
}

TEST(an_infinite_neighbour_of_weight_zero_does_not_spoil_a_quantile)
{
	double v[] = { 1, 2, INFINITY };
	CHECK(near(summary_median(v, 3), 2));
	CHECK(isinf(summary_quantile(v, 3, 1)));
}

TEST(one_wild_value_does_not_move_the_mad)
{
	double v[] = { 1, 2, 3, 4, 1e9 };
	CHECK(near(summary_mad(v, 5), 1));
}

TEST(the_geomean_of_a_ratio_and_its_inverse_is_one)
{
	double v[] = { 4, 0.25, 2, 0.5 };
	CHECK(near(summary_geomean(v, 4), 1));
	CHECK(near(summary_mean(v, 4), 6.75 / 4));
}

TEST(spearman_sees_any_monotone_relation_and_shares_ranks_of_ties)
{
	double x[] = { 1, 2, 3, 4, 5 };
	double up[] = { 1, 8, 27, 64, 125 };
	double down[] = { 9, 7, 5, 3, 1 };
	double ties[] = { 1, 2, 2, 3, 3 };
	double flat[] = { 7, 7, 7, 7, 7 };
	CHECK(near(summary_spearman(x, up, 5), 1));
	CHECK(near(summary_spearman(x, down, 5), -1));
	CHECK(near(summary_spearman(x, flat, 5), 0));
	CHECK(near(summary_spearman(flat, x, 5), 0));
	/* ranks 1 2.5 2.5 4.5 4.5 against 1..5: cov 9, var 10 and 9 */
	CHECK(near(summary_spearman(x, ties, 5), 9 / sqrt(90)));
}

static size_t rank_of(size_t nr, double alpha)
{
	AUTO_FREE double *v = xcalloc(nr, sizeof(*v));
	for (size_t i = 0; i < nr; i++)
		v[i] = (double)(nr - i);
	struct median_interval got = summary_median_interval(v, nr, alpha);
	CHECK(got.error <= alpha);
	CHECK(near(got.low, (double)got.rank));
	CHECK(near(got.high, (double)(nr + 1 - got.rank)));
	return got.rank;
}

TEST(interval_ranks_agree_with_the_binomial_table)
{
	static const struct {
		size_t nr;
		size_t rank[3];
	} rows[] = {
		{ 31, { 10, 8, 7 } },
		{ 61, { 23, 21, 19 } },
		{ 121, { 50, 46, 44 } },
		{ 201, { 87, 82, 79 } },
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		CHECK_INT(rank_of(rows[i].nr, 0.025), rows[i].rank[0]);
		CHECK_INT(rank_of(rows[i].nr, 0.005), rows[i].rank[1]);
		CHECK_INT(rank_of(rows[i].nr, 0.001), rows[i].rank[2]);
	}
}

TEST(too_few_values_give_their_extremes_and_say_what_they_are_worth)
{
	double v[] = { 3, 1, 2 };
	struct median_interval got = summary_median_interval(v, 3, 0.005);
	CHECK_INT(got.rank, 0);
	CHECK(near(got.low, 1) && near(got.high, 3));
	CHECK(near(got.error, 0.125));
}

TEST(the_interval_covers_the_median_as_often_as_it_says)
{
	struct rng rng = { .seed = 11 };
	unsigned nr_covered = 0;
	for (unsigned t = 0; t < 4000; t++) {
		double v[31];
		for (unsigned i = 0; i < 31; i++)
			v[i] = -log(1 - rng_unit(&rng));
		struct median_interval got = summary_median_interval(v, 31, 0.025);
		nr_covered += got.low <= M_LN2 && M_LN2 <= got.high;
	}
	/* exact coverage at rank 10 is 97.1 % */
	CHECK(nr_covered >= 3840 && nr_covered <= 3930);
}

TEST(an_event_that_never_came_is_bounded_by_the_rule_of_three)
{
	CHECK(fabs(summary_rate_bound(0, 400) - 0.0075) < 1e-12);
	CHECK(summary_rate_bound(0, 2) == 1);
	CHECK(summary_rate_bound(0, 0) == 1);
}

/* Known 95 % bounds (Clopper and Pearson, one-sided). */
TEST(an_event_that_came_is_bounded_by_the_binomial)
{
	CHECK(fabs(summary_rate_bound(1, 400) - 0.01180) < 5e-5);
	CHECK(fabs(summary_rate_bound(5, 100) - 0.10225) < 5e-5);
	CHECK(fabs(summary_rate_bound(1, 2) - 0.97468) < 5e-5);
	CHECK(summary_rate_bound(3, 3) == 1);
	CHECK(summary_rate_bound(2, 400) > summary_rate_bound(1, 400));
}

TEST_MAIN()
