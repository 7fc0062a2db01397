#include <math.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/rng.h"
#include "judge/selftest.h"
#include "test.h"

enum { ROWS = 6, COLS = 40, NR = ROWS * COLS };

/* A case with outputs y (f32) and n (i32, one a row). */
struct bench {
	int64_t extent[2];
	int64_t rows[1];
	float input[NR];
	double want[NR];
	double stale[NR];
	int32_t count[ROWS];
	int32_t stale_count[ROWS];
	struct selftest_output outputs[2];
	struct selftest_case one;
};

static void bench_init(struct bench *b)
{
	struct rng rng = { .seed = 1 };
	*b = (struct bench){ .extent = { ROWS, COLS }, .rows = { ROWS } };
	for (size_t i = 0; i < NR; i++) {
		b->input[i] = (float)rng_unit(&rng);
		b->want[i] = rng_unit(&rng) - 0.5;
		b->stale[i] = rng_unit(&rng) - 0.5;
	}
	for (int i = 0; i < ROWS; i++) {
		b->count[i] = 3 + i;
		b->stale_count[i] = 9 - i;
	}
	b->outputs[0] = (struct selftest_output){ .name = "y",
						  .dtype = DTYPE_F32,
						  .extent = b->extent,
						  .rank = 2,
						  .want = b->want,
						  .tol = { .slice = 0x1p-22, .tensor = 0x1p-22 },
						  .stale = b->stale,
						  .nr_stale = NR };
	b->outputs[1] = (struct selftest_output){ .name = "n",
						  .dtype = DTYPE_I32,
						  .extent = b->rows,
						  .rank = 1,
						  .want = b->count,
						  .stale = b->stale_count,
						  .nr_stale = ROWS };
	b->one = (struct selftest_case){ .shape = "odd",
					 .group = "normal",
					 .outputs = b->outputs,
					 .nr_outputs = 2,
					 .input = b->input,
					 .input_dtype = DTYPE_F32,
					 .nr_input = NR };
}

static void accepts(struct bench *b)
{
	struct err e = { 0 };
	struct selftest got;
	CHECK_OK(selftest_run(&b->one, &got, &e));
	CHECK_INT(got.passed, 0);
}

static void finds(struct bench *b, const char *why)
{
	struct err e = { 0 };
	struct selftest got;
	CHECK(selftest_run(&b->one, &got, &e) < 0);
	CHECK_INT(e.kind, ERR_INPUT);
	CHECK_TEXT(e.text, why);
}

#define LETS_PASS "case odd/normal: the judge lets wrong answers pass: "

TEST(eight_cheats_on_two_outputs_are_caught)
{
	struct bench b;
	struct err e = { 0 };
	struct selftest got;
	bench_init(&b);
	CHECK_OK(selftest_run(&b.one, &got, &e));
	CHECK_INT(got.nr_judged, 16);
	CHECK_INT(got.refused, 0);
}

TEST(every_float_type_catches_them)
{
	static const enum dtype dtypes[] = { DTYPE_F64, DTYPE_F32, DTYPE_F16, DTYPE_BF16 };
	for (size_t t = 0; t < ARRAY_LEN(dtypes); t++) {
		struct bench b;
		bench_init(&b);
		b.outputs[0].dtype = dtypes[t];
		b.outputs[0].tol = tolerance_of(dtypes[t], (struct tolerance){ 0 });
		accepts(&b);
	}
}

TEST(a_tolerance_that_is_far_too_wide_is_found)
{
	struct bench b;
	bench_init(&b);
	b.outputs[0].tol = (struct tolerance){ .slice = 2, .tensor = 2 };
	finds(&b, LETS_PASS "zeros, constant mean, one row wrong, last element wrong");
}

TEST(a_wide_tolerance_does_not_hide_behind_a_strict_output)
{
	struct bench b;
	bench_init(&b);
	b.outputs[0].tol = (struct tolerance){ .slice = 0.9, .tensor = 0.9 };
	struct selftest got;
	struct err e = { 0 };
	CHECK(selftest_run(&b.one, &got, &e) < 0);
	CHECK(got.passed & 1U << CHEAT_ROW);
}

TEST(an_output_of_zeros_can_not_expose_zeros)
{
	struct bench b;
	bench_init(&b);
	memset(b.want, 0, sizeof(b.want));
	b.one.nr_outputs = 1;
	finds(&b, LETS_PASS "zeros, constant mean");
}

TEST(an_output_that_equals_the_input_can_not_expose_a_copy)
{
	struct bench b;
	bench_init(&b);
	for (size_t i = 0; i < NR; i++)
		b.want[i] = b.input[i];
	b.one.nr_outputs = 1;
	finds(&b, LETS_PASS "input copy");
	b.one.input = NULL;
	accepts(&b);
}

TEST(an_output_that_is_the_same_in_both_cases_can_not_expose_a_stale_one)
{
	struct bench b;
	bench_init(&b);
	b.outputs[0].stale = b.want;
	b.one.nr_outputs = 1;
	finds(&b, LETS_PASS "stale output");
}

TEST(a_counter_that_is_the_same_in_both_cases_does_not_hinder)
{
	struct bench b;
	struct err e = { 0 };
	struct selftest got;
	bench_init(&b);
	b.outputs[1].stale = b.count;
	CHECK_OK(selftest_run(&b.one, &got, &e));
	CHECK_INT(got.nr_judged, 15);
}

TEST(without_another_case_the_elements_in_reverse_order_are_stale)
{
	struct bench b;
	bench_init(&b);
	b.outputs[0].stale = NULL;
	accepts(&b);
	for (size_t i = 0; i < NR; i++)
		b.want[NR - 1 - i] = b.want[i];
	b.one.nr_outputs = 1;
	finds(&b, LETS_PASS "stale output");
}

TEST(a_case_of_another_size_serves_as_stale_output)
{
	struct bench b;
	bench_init(&b);
	b.outputs[0].nr_stale = 7;
	accepts(&b);
}

TEST(a_row_that_hardly_counts_is_still_protected)
{
	struct bench b;
	bench_init(&b);
	for (size_t i = 0; i < COLS; i++)
		b.want[2 * COLS + i] *= 1e-20;
	accepts(&b);
	/* The tensor's tolerance alone would not see it. */
	b.outputs[0].tol.slice = 10;
	finds(&b, LETS_PASS "one row wrong");
}

TEST(rows_that_are_zero_or_not_finite_are_not_the_one_that_is_made_wrong)
{
	struct bench b;
	bench_init(&b);
	for (size_t i = 0; i < COLS; i++) {
		b.want[i] = 0;
		b.want[COLS + i] = i % 2 ? INFINITY : NAN;
		b.want[2 * COLS + i] = 1e-60;
	}
	accepts(&b);
}

TEST(a_judge_that_refuses_its_own_answer_is_found)
{
	struct bench b;
	struct err e = { 0 };
	struct selftest got;
	bench_init(&b);
	b.outputs[0].tol = (struct tolerance){ 0 };
	CHECK(selftest_run(&b.one, &got, &e) < 0);
	CHECK_INT(got.refused, 1);
	CHECK_TEXT(e.text, "case odd/normal: the judge refuses its own exact answer");
}

TEST(one_element_is_enough_to_catch_all)
{
	struct bench b;
	bench_init(&b);
	b.extent[0] = 1;
	b.extent[1] = 1;
	b.want[0] = 0.1;
	b.one.nr_outputs = 1;
	b.outputs[0].nr_stale = 1;
	/* The mean of one value is that value: a case for nobody, and it says so. */
	finds(&b, LETS_PASS "constant mean");
}

TEST(integers_and_bools_are_tested_too)
{
	static const enum dtype dtypes[] = { DTYPE_I64, DTYPE_I32, DTYPE_I8, DTYPE_U8, DTYPE_BOOL };
	for (size_t t = 0; t < ARRAY_LEN(dtypes); t++) {
		struct bench b;
		unsigned char want[NR * 8];
		unsigned char stale[NR * 8];
		bench_init(&b);
		for (size_t i = 0; i < NR; i++) {
			dtype_store_int(dtypes[t], want, i, (int64_t)(i * i % 3 % 2));
			dtype_store_int(dtypes[t], stale, i, (int64_t)(i % 2));
		}
		b.outputs[0].dtype = dtypes[t];
		b.outputs[0].want = want;
		b.outputs[0].stale = stale;
		b.outputs[0].tol = (struct tolerance){ 0 };
		b.one.nr_outputs = 1;
		accepts(&b);
	}
}

TEST(cheats_have_names)
{
	CHECK_INT(CHEAT_NR, 8);
	CHECK_TEXT(cheat_name(CHEAT_HALF), "half written");
}

TEST_MAIN()
