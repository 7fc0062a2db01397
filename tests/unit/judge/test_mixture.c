#include "judge/mixture.h"

#include <math.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/rng.h"
#include "test.h"

enum { ROWS = 32, COLS = 40, NR = ROWS * COLS };

/* Three groups: ordinary, tiny, large. */
struct bench {
	float data[3][NR];
	const void *groups[3];
	float out[NR];
	struct mixture_spec spec;
};

static void bench_init(struct bench *b, double low)
{
	struct rng rng = { .seed = 3 };
	for (int i = 0; i < NR; i++) {
		b->data[0][i] = (float)(rng_unit(&rng) * (1 - low) + low);
		b->data[1][i] = (float)(b->data[0][i] * 1e-3 + (low > 0 ? low : 0));
		b->data[2][i] = (float)(rng_unit(&rng) * 100 + (low > 0 ? low : 0));
	}
	for (int g = 0; g < 3; g++)
		b->groups[g] = b->data[g];
	b->spec = (struct mixture_spec){ .dtype = DTYPE_F32,
					 .nr = NR,
					 .row_len = COLS,
					 .groups = b->groups,
					 .nr_groups = 3,
					 .nr_strange = 5,
					 .seed = 11 };
}

static size_t rows_that_differ(const struct bench *b)
{
	size_t nr = 0;
	for (size_t r = 0; r < ROWS; r++)
		nr += memcmp(b->out + r * COLS, b->data[0] + r * COLS, COLS * sizeof(float)) != 0;
	return nr;
}

TEST(few_rows_differ_and_the_rest_is_ordinary)
{
	struct bench b;
	bench_init(&b, -1);
	for (b.spec.seed = 0; b.spec.seed < 50; b.spec.seed++) {
		b.spec.nr_strange = 5;
		mixture_fill(&b.spec, b.out);
		CHECK(rows_that_differ(&b) >= 1 && rows_that_differ(&b) <= 5);
		b.spec.nr_strange = 1;
		mixture_fill(&b.spec, b.out);
		CHECK(rows_that_differ(&b) <= 1);
	}
}

TEST(a_mixture_follows_from_its_seed)
{
	struct bench b;
	float first[NR];
	bench_init(&b, -1);
	mixture_fill(&b.spec, b.out);
	memcpy(first, b.out, sizeof(first));
	mixture_fill(&b.spec, b.out);
	CHECK(memcmp(first, b.out, sizeof(first)) == 0);
	b.spec.seed++;
	mixture_fill(&b.spec, b.out);
	CHECK(memcmp(first, b.out, sizeof(first)) != 0);
}

TEST(values_stay_within_what_the_groups_hold)
{
	static const double lows[] = { -1, 0, 0.25 };
	for (size_t k = 0; k < ARRAY_LEN(lows); k++) {
		struct bench b;
		float low = INFINITY;
		float high = -INFINITY;
		bench_init(&b, lows[k]);
		for (int i = 0; i < 3 * NR; i++) {
			low = fminf(low, b.data[i / NR][i % NR]);
			high = fmaxf(high, b.data[i / NR][i % NR]);
		}
		b.spec.nr_strange = ROWS;
		for (b.spec.seed = 0; b.spec.seed < 50; b.spec.seed++) {
			mixture_fill(&b.spec, b.out);
			for (int i = 0; i < NR; i++)
				CHECK(b.out[i] >= low && b.out[i] <= high);
		}
	}
}

static bool is_zero_row(const float *row)
{
	for (int c = 0; c < COLS; c++)
		if (row[c] != 0)
			return false;
	return true;
}

static int nr_equal(const float *a, const float *b)
{
	int nr = 0;
	for (int c = 0; c < COLS; c++)
		nr += a[c] == b[c];
	return nr;
}

TEST(every_kind_of_strange_row_is_met)
{
	struct bench b;
	unsigned nr_zero = 0;
	unsigned nr_same = 0;
	unsigned nr_twins = 0;
	unsigned nr_others = 0;
	unsigned nr_spikes = 0;
	bench_init(&b, -1);
	for (b.spec.seed = 0; b.spec.seed < 40; b.spec.seed++) {
		mixture_fill(&b.spec, b.out);
		for (int r = 1; r < ROWS; r++) {
			const float *row = b.out + r * COLS;
			int same = nr_equal(row, row - COLS);
			nr_zero += is_zero_row(row);
			nr_same += same == COLS;
			nr_twins += same == COLS - 1;
			nr_others += nr_equal(row, b.data[2] + r * COLS) == COLS;
			nr_spikes += nr_equal(row, b.data[0] + r * COLS) == COLS - 1;
		}
	}
	CHECK(nr_zero && nr_same && nr_twins && nr_others && nr_spikes);
}

TEST(one_group_with_one_value_can_be_mixed_as_well)
{
	struct bench b;
	bench_init(&b, -1);
	for (int i = 0; i < NR; i++)
		b.data[0][i] = i % 2 ? NAN : INFINITY;
	b.spec.nr_groups = 1;
	b.spec.nr_strange = ROWS;
	mixture_fill(&b.spec, b.out);
	b.spec.nr = 1;
	b.spec.row_len = 1;
	mixture_fill(&b.spec, b.out);
	b.spec.nr = COLS + 1;
	b.spec.row_len = COLS;
	b.out[COLS + 1] = 42;
	mixture_fill(&b.spec, b.out);
	CHECK(b.out[COLS + 1] == 42);
}

TEST(vectors_are_mixed_in_pieces)
{
	CHECK_INT(mixture_row_len(2, 40, NR), 40);
	CHECK_INT(mixture_row_len(1, 100000, 100000), 256);
	CHECK_INT(mixture_row_len(1, 80, 80), 10);
	CHECK_INT(mixture_row_len(1, 3, 3), 1);
}

TEST(data_that_stand_in_an_order_are_left_alone)
{
	static const char *const bound[] = { "ramp", "permutation", "offsets",  "index",
					     "mask", "choice",      "integers", "constant" };
	for (size_t i = 0; i < ARRAY_LEN(bound); i++) {
		AUTO_JSON json_t *json = json_pack("{s:s}", "kind", bound[i]);
		CHECK(!mixture_is_free(json));
	}
	AUTO_JSON json_t *json = json_pack("{s:s}", "kind", "uniform");
	CHECK(mixture_is_free(json));
	CHECK(!mixture_is_free(NULL));
}

TEST_MAIN()
