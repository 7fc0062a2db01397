/* The arithmetic of bench/tuner. */
#include "bench/ratio.h"
#include "test.h"

enum { SHAPES = 2, ROUNDS = 15 };

static bool near(double a, double b)
{
	return fabs(a - b) <= 1e-12 * fmax(1, fabs(b));
}

static struct ratio ratio_of(const double *a, const double *b)
{
	struct ratio_spec spec = {
		.a = a, .b = b, .nr_shapes = SHAPES, .nr_rounds = ROUNDS, .seed = 7
	};
	return ratio_make(&spec);
}

/* Noise that both sides of a round share, of up to a factor 3. */
static void make_times(double *a, double *b, const double speedup[SHAPES])
{
	struct rng rng = { .seed = 3 };
	for (size_t i = 0; i < (size_t)SHAPES * ROUNDS; i++) {
		b[i] = 1000 * (1 + 2 * rng_unit(&rng));
		a[i] = b[i] * speedup[i / ROUNDS];
	}
}

TEST(what_slows_both_sides_of_a_round_does_not_count)
{
	const double speedup[SHAPES] = { 2, 2 };
	double a[SHAPES * ROUNDS];
	double b[SHAPES * ROUNDS];
	make_times(a, b, speedup);
	struct ratio r = ratio_of(a, b);
	CHECK(near(r.value, 2) && near(r.low, 2) && near(r.high, 2));
}

TEST(shapes_count_by_the_geometric_mean)
{
	const double speedup[SHAPES] = { 8, 0.5 };
	double a[SHAPES * ROUNDS];
	double b[SHAPES * ROUNDS];
	make_times(a, b, speedup);
	CHECK(near(ratio_of(a, b).value, 2));
	CHECK(near(ratio_of(b, a).value, 0.5));
}

TEST(one_disturbed_round_moves_neither_value_nor_interval_far)
{
	const double speedup[SHAPES] = { 2, 2 };
	double a[SHAPES * ROUNDS];
	double b[SHAPES * ROUNDS];
	make_times(a, b, speedup);
	b[4] *= 100;
	struct ratio r = ratio_of(a, b);
	CHECK(near(r.value, 2) && near(r.low, 2) && near(r.high, 2));
}

TEST(equal_sides_with_noise_of_their_own_have_one_inside)
{
	double a[SHAPES * ROUNDS];
	double b[SHAPES * ROUNDS];
	struct rng rng = { .seed = 5 };
	for (size_t i = 0; i < (size_t)SHAPES * ROUNDS; i++) {
		a[i] = 1000 * (1 + rng_unit(&rng));
		b[i] = 1000 * (1 + rng_unit(&rng));
	}
	struct ratio r = ratio_of(a, b);
	CHECK(r.low < 1 && r.high > 1);
	CHECK(r.low <= r.value && r.value <= r.high);
}

TEST(a_typical_time_is_the_geometric_mean_of_medians)
{
	const double ns[] = { 1, 2, 90, 8, 8, 700 };
	CHECK(near(ratio_typical_ns(ns, 2, 3), 4));
}

TEST_MAIN()
