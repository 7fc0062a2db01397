#include <math.h>

#include "base/mem.h"
#include "judge/judge.h"
#include "judge/poison.h"
#include "test.h"

enum { ROWS = 4, COLS = 50, NR = ROWS * COLS, SALT = 3 };

/* A case of one float output whose expected values are 1, 2, 3 ... */
struct bench {
	int64_t extent[2];
	double want[NR];
	float got[NR];
	struct judge_output output;
	struct judge_case one;
	struct judgement answer;
};

static void bench_init(struct bench *b)
{
	*b = (struct bench){ .extent = { ROWS, COLS } };
	for (size_t i = 0; i < NR; i++) {
		b->want[i] = (double)(i + 1);
		b->got[i] = (float)(i + 1);
	}
	b->output = (struct judge_output){ .name = "y",
					   .dtype = DTYPE_F32,
					   .extent = b->extent,
					   .rank = 2,
					   .got = b->got,
					   .want = b->want,
					   .poison_salt = SALT,
					   .tol = { .slice = 1e-3, .tensor = 1e-3 } };
	b->one = (struct judge_case){
		.shape = "odd", .group = "normal", .outputs = &b->output, .nr_outputs = 1
	};
}

static const struct verdict *judge(struct bench *b)
{
	judge_case_run(&b->one, &b->answer);
	return &b->answer.verdict;
}

#define CHECK_VERDICT(v, want_reason, want_detail)                                                 \
	do {                                                                                       \
		CHECK_TEXT(reason_name((v)->reason), #want_reason);                                \
		CHECK((v)->state == reason_state((v)->reason));                                    \
		CHECK_TEXT((v)->detail, want_detail);                                              \
	} while (0)

TEST(a_right_output_passes)
{
	struct bench b;
	bench_init(&b);
	b.got[7] = 8.001F;
	const struct verdict *v = judge(&b);
	CHECK(v->state == VERDICT_PASS);
	CHECK_VERDICT(v, ok, "");
	CHECK_TEXT(v->shape, "odd");
	CHECK_TEXT(v->group, "normal");
	CHECK(b.answer.max_err > 2e-5 && b.answer.max_err < 4e-5);
	CHECK(b.answer.tolerance == 1e-3);
}

TEST(zeros_are_called_zeros)
{
	struct bench b;
	bench_init(&b);
	memset(b.got, 0, sizeof(b.got));
	CHECK_VERDICT(judge(&b), wrong_zeros,
		      "200 of 200 elements in 4 of 4 rows or tiles; worst at [3,49], 670 times the "
		      "tolerance");
	CHECK_TEXT(b.answer.verdict.output, "y");
}

TEST(zeros_where_all_is_zero_are_right)
{
	struct bench b;
	bench_init(&b);
	memset(b.got, 0, sizeof(b.got));
	memset(b.want, 0, sizeof(b.want));
	CHECK_VERDICT(judge(&b), ok, "");
}

TEST(something_where_all_is_zero_is_not_called_zeros)
{
	struct bench b;
	bench_init(&b);
	memset(b.want, 0, sizeof(b.want));
	CHECK_VERDICT(judge(&b), wrong_value,
		      "200 of 200 elements in 4 of 4 rows or tiles; worst at [0,0], more than 1000 "
		      "times the tolerance");
}

TEST(one_wrong_row_is_a_wrong_slice)
{
	struct bench b;
	bench_init(&b);
	for (size_t i = 100; i < 150; i++)
		b.got[i] *= 1.01F;
	CHECK_VERDICT(judge(&b), wrong_slice,
		      "50 of 200 elements in 1 of 4 rows or tiles; worst at [2,49], 6 times the "
		      "tolerance");
}

TEST(wrong_everywhere_is_a_wrong_value)
{
	struct bench b;
	bench_init(&b);
	for (size_t i = 0; i < NR; i++)
		b.got[i] *= 1.01F;
	CHECK_VERDICT(judge(&b), wrong_value,
		      "198 of 200 elements in 4 of 4 rows or tiles; worst at [3,49], 6.7 times the "
		      "tolerance");
}

TEST(an_error_seen_on_the_tensor_alone_is_reported_there)
{
	struct bench b;
	bench_init(&b);
	b.output.tol.slice = 1;
	b.got[3] = 4.5F;
	CHECK_VERDICT(judge(&b), wrong_slice,
		      "1 of 200 elements in 1 of 4 rows or tiles; worst at [0,3], 4.8 times the "
		      "tolerance");
	CHECK(b.answer.tolerance == 1e-3);
}

TEST(a_stray_nan_is_a_wrong_nonfinite)
{
	struct bench b;
	bench_init(&b);
	b.got[53] = NAN;
	b.got[60] = -INFINITY;
	CHECK_VERDICT(judge(&b), wrong_nonfinite, "2 of 200 elements, the first at [1,3]");
	CHECK(isinf(b.answer.max_err));
}

TEST(all_nan_is_a_wrong_nonfinite)
{
	struct bench b;
	bench_init(&b);
	for (size_t i = 0; i < NR; i++)
		b.got[i] = NAN;
	CHECK_VERDICT(judge(&b), wrong_nonfinite, "200 of 200 elements, the first at [0,0]");
}

TEST(a_half_written_output_is_unwritten_and_not_nan)
{
	struct bench b;
	bench_init(&b);
	poison_fill(b.got + 100, 400, SALT);
	CHECK_VERDICT(judge(&b), unwritten, "100 of 200 elements, the first at [2,0]");
	CHECK_TEXT(b.answer.verdict.output, "y");
}

TEST(unwritten_counts_even_where_a_nan_belongs)
{
	struct bench b;
	bench_init(&b);
	b.want[4] = NAN;
	poison_fill(b.got + 4, 4, SALT);
	CHECK_VERDICT(judge(&b), unwritten, "1 of 200 elements, the first at [0,4]");
}

TEST(integers_are_wrong_without_a_factor)
{
	struct bench b;
	int32_t want[NR] = { 0 };
	int32_t got[NR] = { 0 };
	bench_init(&b);
	b.output.dtype = DTYPE_I32;
	b.output.want = want;
	b.output.got = got;
	b.output.tol = (struct tolerance){ 0 };
	CHECK_VERDICT(judge(&b), ok, "");
	got[151] = 1;
	want[0] = 1;
	CHECK_VERDICT(judge(&b), wrong_slice,
		      "2 of 200 elements in 2 of 4 rows or tiles differ; one at [0,0]");
	for (size_t i = 0; i < NR; i++)
		got[i] = 9;
	CHECK_VERDICT(judge(&b), wrong_value,
		      "200 of 200 elements in 4 of 4 rows or tiles differ; one at [0,0]");
	memset(got, 0, sizeof(got));
	CHECK_VERDICT(judge(&b), wrong_zeros,
		      "1 of 200 elements in 1 of 4 rows or tiles differ; one at [0,0]");
}

TEST(a_stray_write_outweighs_right_values)
{
	struct bench b;
	bench_init(&b);
	b.one.stray_write = "w";
	b.one.input_modified = "x";
	CHECK_VERDICT(judge(&b), out_of_bounds, "memory beside argument w");
	b.one.stray_write = NULL;
	CHECK_VERDICT(judge(&b), input_modified, "argument x");
	CHECK_TEXT(b.answer.verdict.group, "normal");
	CHECK(b.answer.max_err == 0);
}

TEST(a_stray_write_outweighs_wrong_values)
{
	struct bench b;
	bench_init(&b);
	memset(b.got, 0, sizeof(b.got));
	b.one.stray_write = "y";
	CHECK_VERDICT(judge(&b), out_of_bounds, "memory beside argument y");
	CHECK(b.answer.max_err > 0.5);
}

TEST(other_bits_for_the_same_input_fail_only_a_right_output)
{
	struct bench b;
	bench_init(&b);
	b.one.not_repeatable = "y";
	CHECK_VERDICT(judge(&b), not_repeatable, "within the tolerance, but other bits");
	CHECK_TEXT(b.answer.verdict.output, "y");
	b.got[0] = 2;
	CHECK_VERDICT(judge(&b), wrong_slice,
		      "1 of 200 elements in 1 of 4 rows or tiles; worst at [0,0], 38 times the "
		      "tolerance");
}

TEST(the_first_wrong_output_decides_and_the_furthest_is_described)
{
	struct bench b;
	bench_init(&b);
	float good[NR];
	float bad[NR];
	memcpy(good, b.got, sizeof(good));
	memcpy(bad, b.got, sizeof(bad));
	b.got[0] = 1.5F;
	bad[199] = 1000;
	struct judge_output outputs[3] = { b.output, b.output, b.output };
	outputs[0].got = good;
	outputs[0].name = "a";
	outputs[1].name = "b";
	outputs[2].got = bad;
	outputs[2].name = "c";
	outputs[2].tol = (struct tolerance){ .slice = 2e-3, .tensor = 2e-3 };
	b.one.outputs = outputs;
	b.one.nr_outputs = 3;
	const struct verdict *v = judge(&b);
	CHECK_TEXT(v->output, "b");
	CHECK(v->reason == REASON_wrong_slice);
	CHECK(b.answer.tolerance == 2e-3);
	CHECK_INT(b.answer.compare.worst_slice_at, 199);
	struct judge_output swap = outputs[0];
	outputs[0] = outputs[2];
	outputs[2] = swap;
	CHECK_TEXT(judge(&b)->output, "c");
	CHECK_INT(b.answer.compare.worst_slice_at, 199);
}

/* Expected values are such that their digits would be seen. */
TEST(a_detail_never_holds_an_expected_value)
{
	struct bench b;
	for (unsigned n = 0; n < 6; n++) {
		bench_init(&b);
		for (size_t i = 0; i < NR; i++) {
			b.want[i] = 777.7777;
			b.got[i] = n == 0 ? 0 : n == 1 ? NAN : 777.7777F;
		}
		if (n == 2)
			b.got[9] = 1;
		if (n == 3)
			poison_fill(b.got, 40, SALT);
		if (n == 4)
			b.got[150] = 1e30F;
		if (n == 5)
			b.want[60] = NAN;
		const struct verdict *v = judge(&b);
		CHECK(v->state == VERDICT_FAIL);
		CHECK(!strstr(v->detail, "77"));
	}
}

/* The factor has two digits, so that many submissions can not work out a value from it. */
TEST(the_factor_is_blurred_and_capped)
{
	static const struct {
		float got;
		const char *want;
	} rows[] = {
		{ 1.0128F, "[0,0], 6.4 times" },
		{ 1.2345F, "[0,0], 120 times" },
		{ 1e9F, "[0,0], more than 1000 times" },
		{ INFINITY, "the first at [0,0]" },
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct bench b;
		bench_init(&b);
		for (size_t j = 0; j < NR; j++) {
			b.want[j] = 1;
			b.got[j] = 1;
		}
		b.got[0] = rows[i].got;
		CHECK(strstr(judge(&b)->detail, rows[i].want));
	}
}

TEST(a_zero_tolerance_of_a_float_takes_equality_only)
{
	struct bench b;
	bench_init(&b);
	b.output.tol = (struct tolerance){ 0 };
	CHECK(judge(&b)->state == VERDICT_PASS);
	b.got[5] = nextafterf(b.got[5], 0);
	CHECK_VERDICT(
		judge(&b), wrong_slice,
		"1 of 200 elements in 1 of 4 rows or tiles; worst at [0,5], more than 1000 times "
		"the tolerance");
}

static struct verdict of(enum reason reason)
{
	return verdict_make(reason, "%s", reason_name(reason));
}

TEST(a_candidate_passes_when_all_its_cases_do)
{
	struct verdict cases[] = { of(REASON_ok), of(REASON_ok), of(REASON_ok) };
	struct verdict v = judge_candidate(cases, 3);
	CHECK(v.state == VERDICT_PASS);
	CHECK_VERDICT(&v, ok, "3 cases");
}

TEST(the_gravest_case_decides_and_the_first_of_equals)
{
	struct verdict cases[] = { of(REASON_ok),          of(REASON_crashed),
				   of(REASON_wrong_zeros), of(REASON_forbidden_syscall),
				   of(REASON_late_write),  of(REASON_below_floor) };
	struct verdict v = judge_candidate(cases, 3);
	CHECK_VERDICT(&v, crashed, "crashed");
	v = judge_candidate(cases, 4);
	CHECK_VERDICT(&v, forbidden_syscall, "forbidden_syscall");
	v = judge_candidate(cases, 6);
	CHECK_VERDICT(&v, late_write, "late_write");
}

TEST(no_reason_but_ok_passes)
{
	for (int r = REASON_NONE + 1; r < REASON_NR; r++) {
		struct verdict one = of((enum reason)r);
		struct verdict v = judge_candidate(&one, 1);
		CHECK((v.state == VERDICT_PASS) == (r == REASON_ok));
	}
}

static void leave(int signal)
{
	(void)signal;
	exit(3);
}

/* Ends the test: all that follows must abort. Leaving by exit() keeps the coverage record. */
static void expect_abort(void (*run)(void))
{
	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		if (!freopen("/dev/null", "w", stderr))
			exit(1);
		signal(SIGABRT, leave);
		run();
		exit(0);
	}
	int status = 0;
	waitpid(pid, &status, 0);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 3);
}

static void judge_nothing(void)
{
	judge_candidate(NULL, 0);
}

static void judge_the_unjudged(void)
{
	struct verdict cases[] = { of(REASON_ok), { 0 } };
	judge_candidate(cases, 2);
}

static void judge_no_output(void)
{
	struct bench b;
	bench_init(&b);
	b.one.nr_outputs = 0;
	judge(&b);
}

TEST(nothing_passes_by_not_being_looked_at)
{
	expect_abort(judge_nothing);
	expect_abort(judge_the_unjudged);
	expect_abort(judge_no_output);
}

TEST_MAIN()
