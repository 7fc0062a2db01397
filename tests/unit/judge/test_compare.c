#include <math.h>

#include "base/mem.h"
#include "base/rng.h"
#include "judge/compare.h"
#include "judge/poison.h"
#include "test.h"

enum { SALT = 77 };

static bool near(double a, double b)
{
	return a == b || fabs(a - b) <= 1e-12 * fabs(b);
}

static struct compare run(enum dtype dtype, const int64_t *extent, size_t rank, const void *got,
			  const void *want)
{
	struct compare c;
	struct compare_spec spec = { .dtype = dtype,
				     .extent = extent,
				     .rank = rank,
				     .got = got,
				     .want = want,
				     .tol_slice = INFINITY,
				     .tol_tensor = INFINITY,
				     .poison_salt = SALT };
	compare_run(&spec, &c);
	return c;
}

static struct compare run_with(double tol, enum dtype dtype, const int64_t *extent, size_t rank,
			       const void *got, const void *want)
{
	struct compare c;
	struct compare_spec spec = { .dtype = dtype,
				     .extent = extent,
				     .rank = rank,
				     .got = got,
				     .want = want,
				     .tol_slice = tol,
				     .tol_tensor = tol,
				     .poison_salt = SALT };
	compare_run(&spec, &c);
	return c;
}

TEST(the_error_is_relative_to_the_value_and_its_row_and_tensor)
{
	int64_t extent[] = { 2, 2 };
	double want[] = { 1, 3, 10, -30 };
	double got[] = { 1.5, 3, 10, -28 };
	struct compare c = run(DTYPE_F64, extent, 2, got, want);
	/* rows have means 2 and 20, the tensor 11 */
	CHECK(near(c.max_slice_err, 0.5 / (1 + 2)));
	CHECK(near(c.max_tensor_err, 2.0 / (30 + 11)));
	CHECK_INT(c.worst_slice_at, 0);
	CHECK_INT(c.worst_tensor_at, 3);
	CHECK_INT(c.nr, 4);
	CHECK_INT(c.nr_slices, 2);
	CHECK_INT(c.nr_wrong, 0);
}

/* The definition, one element after the other. */
static void by_definition(const double *got, const double *want, size_t nr, size_t slice,
			  struct compare *out)
{
	double all = 0;
	*out = (struct compare){ 0 };
	for (size_t i = 0; i < nr; i++)
		all += fabs(want[i]) / (double)nr;
	for (size_t i = 0; i < nr; i++) {
		size_t from = i / slice * slice;
		size_t end = from + slice < nr ? from + slice : nr;
		double mean = 0;
		for (size_t j = from; j < end; j++)
			mean += fabs(want[j]) / (double)(end - from);
		double away = fabs(got[i] - want[i]);
		out->max_slice_err = fmax(out->max_slice_err, away / (fabs(want[i]) + mean));
		out->max_tensor_err = fmax(out->max_tensor_err, away / (fabs(want[i]) + all));
	}
}

TEST(all_sizes_agree_with_the_definition)
{
	static const struct {
		int64_t extent[3];
		size_t rank;
	} rows[] = { { { 1, 1 }, 2 },     { { 3, 1 }, 2 },   { { 2, 63 }, 2 },  { { 3, 64 }, 2 },
		     { { 2, 65 }, 2 },    { { 1, 255 }, 2 }, { { 2, 257 }, 2 }, { { 3, 1000 }, 2 },
		     { { 2, 3, 37 }, 3 }, { { 1 }, 1 },      { { 255 }, 1 },    { { 256 }, 1 },
		     { { 257 }, 1 },      { { 1000 }, 1 },   { { 0 }, 0 } };
	struct rng rng = { .seed = 5 };
	for (size_t r = 0; r < ARRAY_LEN(rows); r++) {
		size_t nr = compare_elements(rows[r].extent, rows[r].rank);
		AUTO_FREE double *want = xcalloc(nr, sizeof(*want));
		AUTO_FREE double *wide = xcalloc(nr, sizeof(*wide));
		AUTO_FREE float *got = xcalloc(nr, sizeof(*got));
		for (size_t i = 0; i < nr; i++) {
			want[i] = 4 * rng_unit(&rng) - 2;
			got[i] = (float)(want[i] * (1 + 1e-4 * rng_unit(&rng)));
			wide[i] = got[i];
		}
		struct compare truth;
		size_t slice = rows[r].rank >= 2 ? (size_t)rows[r].extent[rows[r].rank - 1] : 256;
		by_definition(wide, want, nr, slice, &truth);
		struct compare c = run(DTYPE_F32, rows[r].extent, rows[r].rank, got, want);
		CHECK(near(c.max_slice_err, truth.max_slice_err));
		CHECK(near(c.max_tensor_err, truth.max_tensor_err));
		CHECK_INT(c.nr_slices, (nr + slice - 1) / slice);
		c = run(DTYPE_F64, rows[r].extent, rows[r].rank, wide, want);
		CHECK(near(c.max_slice_err, truth.max_slice_err));
	}
}

TEST(equal_is_no_error_even_when_all_is_zero)
{
	int64_t extent[] = { 2, 3 };
	double want[6] = { 0 };
	float got[6] = { 0, -0.0F, 0, 0, 0, 0 };
	struct compare c = run_with(0, DTYPE_F32, extent, 2, got, want);
	CHECK(c.max_slice_err == 0 && c.max_tensor_err == 0);
	CHECK_INT(c.nr_wrong, 0);
}

TEST(any_difference_in_a_row_of_zeros_is_infinite)
{
	int64_t extent[] = { 2, 2 };
	double want[] = { 1, 1, 0, 0 };
	float got[] = { 1, 1, 0, 1e-30F };
	struct compare c = run_with(1e-3, DTYPE_F32, extent, 2, got, want);
	CHECK(isinf(c.max_slice_err));
	CHECK(c.max_tensor_err < 1e-29);
	CHECK_INT(c.worst_slice_at, 3);
	CHECK_INT(c.nr_wrong, 1);
}

TEST(a_wrong_row_of_small_values_is_seen_by_its_slice_alone)
{
	int64_t extent[] = { 2, 2 };
	double want[] = { 1e6, 1e6, 1, 1 };
	float got[] = { 1e6F, 1e6F, 2, 2 };
	struct compare c = run_with(1e-3, DTYPE_F32, extent, 2, got, want);
	CHECK(near(c.max_slice_err, 0.5));
	CHECK(c.max_tensor_err < 1e-5);
	CHECK_INT(c.nr_wrong, 2);
	CHECK_INT(c.nr_wrong_slices, 1);
}

TEST(a_tolerance_of_the_tensor_counts_where_slices_are_within_theirs)
{
	int64_t extent[] = { 1, 4 };
	double want[] = { 1, 1, 1, 1 };
	float got[] = { 1, 1, 1, 1.5F };
	struct compare c;
	struct compare_spec spec = { .dtype = DTYPE_F32,
				     .extent = extent,
				     .rank = 2,
				     .got = got,
				     .want = want,
				     .tol_slice = 1,
				     .tol_tensor = 0.1 };
	compare_run(&spec, &c);
	CHECK_INT(c.nr_wrong, 1);
	CHECK_INT(c.nr_wrong_slices, 1);
}

TEST(wrong_elements_and_their_slices_are_counted)
{
	int64_t extent[] = { 100, 300 };
	AUTO_FREE double *want = xcalloc(30000, sizeof(*want));
	AUTO_FREE float *got = xcalloc(30000, sizeof(*got));
	for (size_t i = 0; i < 30000; i++) {
		want[i] = 1;
		got[i] = i % 1000 == 999 ? 1.1F : 1.0001F;
	}
	struct compare c = run_with(1e-3, DTYPE_F32, extent, 2, got, want);
	CHECK_INT(c.nr_wrong, 30);
	CHECK_INT(c.nr_wrong_slices, 30);
	CHECK_INT(c.nr_zero, 0);
	for (size_t i = 0; i < 30000; i++)
		got[i] = 0;
	c = run_with(1e-3, DTYPE_F32, extent, 2, got, want);
	CHECK_INT(c.nr_wrong, 30000);
	CHECK_INT(c.nr_wrong_slices, 100);
	CHECK_INT(c.nr_zero, 30000);
}

/* The largest error stands last, so the quick test must not stop looking. */
TEST(the_worst_element_is_found_wherever_it_is)
{
	int64_t extent[] = { 5, 1000 };
	AUTO_FREE double *want = xcalloc(5000, sizeof(*want));
	AUTO_FREE float *got = xcalloc(5000, sizeof(*got));
	for (size_t at = 0; at < 5000; at += 37) {
		for (size_t i = 0; i < 5000; i++) {
			want[i] = 1;
			got[i] = 1.001F;
		}
		got[at] = 1.002F;
		struct compare c = run_with(1, DTYPE_F32, extent, 2, got, want);
		CHECK_INT(c.worst_slice_at, at);
		CHECK_INT(c.worst_tensor_at, at);
	}
}

TEST(non_finite_values_must_match_in_place_and_sign)
{
	int64_t extent[] = { 1, 6 };
	double want[] = { 1, NAN, INFINITY, -INFINITY, 2, 3 };
	float same[] = { 1, -NAN, INFINITY, -INFINITY, 2, 3 };
	float nan_lost[] = { 1, 0, INFINITY, -INFINITY, 2, 3 };
	float sign_lost[] = { 1, NAN, INFINITY, INFINITY, 2, 3 };
	float nan_more[] = { 1, NAN, INFINITY, -INFINITY, NAN, 3 };
	float inf_more[] = { 1, NAN, INFINITY, -INFINITY, 2, INFINITY };
	float nan_for_inf[] = { 1, NAN, NAN, -INFINITY, 2, 3 };
	struct compare c = run_with(1e-3, DTYPE_F32, extent, 2, same, want);
	CHECK(c.nr_nonfinite_mismatch == 0 && c.nr_wrong == 0 && c.max_slice_err == 0);
	const struct {
		const float *got;
		size_t at;
	} rows[] = {
		{ nan_lost, 1 }, { sign_lost, 3 },   { nan_more, 4 },
		{ inf_more, 5 }, { nan_for_inf, 2 },
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		c = run(DTYPE_F32, extent, 2, rows[i].got, want);
		CHECK_INT(c.nr_nonfinite_mismatch, 1);
		CHECK_INT(c.first_nonfinite_at, rows[i].at);
		CHECK_INT(c.nr_wrong, 1);
		CHECK(isinf(c.max_slice_err) && isinf(c.max_tensor_err));
	}
}

TEST(non_finite_values_are_left_out_of_the_means)
{
	int64_t extent[] = { 2, 3 };
	double want[] = { 1, 3, INFINITY, NAN, NAN, NAN };
	double got[] = { 1.5, 3, INFINITY, NAN, NAN, NAN };
	struct compare c = run(DTYPE_F64, extent, 2, got, want);
	CHECK(near(c.max_slice_err, 0.5 / 3));
	CHECK(near(c.max_tensor_err, 0.5 / 3));
}

TEST(what_the_type_can_not_hold_counts_as_it_is_stored)
{
	static const struct {
		enum dtype dtype;
		double want;
		double got;
	} rows[] = {
		{ DTYPE_F32, 1e39, INFINITY },  { DTYPE_F32, -1e300, -INFINITY },
		{ DTYPE_F16, 65520, INFINITY }, { DTYPE_BF16, -1e39, -INFINITY },
		{ DTYPE_F8E4M3, 500, NAN },     { DTYPE_F8E5M2, 1e5, INFINITY },
		{ DTYPE_F16, 65505, 65504 },    { DTYPE_F8E4M3, 449, 448 },
		{ DTYPE_F32, 1e-60, 0 },        { DTYPE_F16, 1e-9, 0 },
		{ DTYPE_F8E4M3, 1e-4, 0 },      { DTYPE_F8E5M2, 1e-7, 0 },
	};
	int64_t extent[] = { 1, 1 };
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		unsigned char got[8];
		dtype_store(rows[i].dtype, got, 0, rows[i].got);
		struct compare c = run_with(0.01, rows[i].dtype, extent, 2, got, &rows[i].want);
		CHECK_INT(c.nr_nonfinite_mismatch, 0);
		CHECK_INT(c.nr_wrong, 0);
	}
}

TEST(a_finite_value_where_the_type_overflows_is_a_mismatch)
{
	int64_t extent[] = { 1, 3 };
	double want[] = { 1, 1e300, 1 };
	float got[] = { 1, 3e38F, 2 };
	struct compare c = run_with(1e-3, DTYPE_F32, extent, 2, got, want);
	CHECK_INT(c.nr_nonfinite_mismatch, 1);
	CHECK_INT(c.first_nonfinite_at, 1);
	/* 1e300 must not make the row's mean so large that the 2 passes. */
	CHECK_INT(c.nr_wrong, 2);
}

TEST(values_near_the_end_of_double_do_not_hide_errors)
{
	int64_t extent[] = { 1, 4 };
	double want[] = { 1.7e308, 1.7e308, -1.7e308, 1.7e308 };
	double same[] = { 1.7e308, 1.7e308, -1.7e308, 1.7e308 };
	double flipped[] = { 1.7e308, 1.7e308, -1.7e308, -1.7e308 };
	struct compare c = run_with(1e-3, DTYPE_F64, extent, 2, same, want);
	CHECK(c.max_slice_err == 0 && c.nr_wrong == 0);
	c = run_with(1e-3, DTYPE_F64, extent, 2, flipped, want);
	CHECK(near(c.max_slice_err, 1) && near(c.max_tensor_err, 1));
	CHECK_INT(c.nr_wrong, 1);
	double small[] = { 1, 1, 1, 1 };
	double huge[] = { 1, 1e308, 1, 1 };
	c = run_with(1e-3, DTYPE_F64, extent, 2, huge, small);
	CHECK_INT(c.nr_wrong, 1);
	CHECK(c.max_slice_err > 1e300);
}

TEST(ordinary_rows_beside_a_huge_one_are_judged_by_their_own_size)
{
	int64_t extent[] = { 2, 2 };
	double want[] = { 1e308, 1e308, 1, 1 };
	double got[] = { 1e308, 1e308, 1, 1.5 };
	struct compare c = run_with(1e-3, DTYPE_F64, extent, 2, got, want);
	CHECK(near(c.max_slice_err, 0.25));
	CHECK_INT(c.nr_wrong, 1);
}

TEST(an_empty_output_has_nothing_wrong)
{
	int64_t extent[] = { 0, 3 };
	char text[8];
	struct compare c = run(DTYPE_F32, extent, 2, NULL, NULL);
	CHECK(c.nr == 0 && c.nr_slices == 0 && c.nr_wrong == 0 && c.max_slice_err == 0);
	compare_index_print(extent, 2, 0, text, sizeof(text));
	CHECK_TEXT(text, "[]");
}

TEST(unwritten_elements_are_counted_in_every_type)
{
	int64_t extent[] = { 5, 100 };
	for (size_t t = 0; t < DTYPE_NR; t++) {
		unsigned char got[500 * 8];
		unsigned char want[500 * 8];
		enum dtype dtype = (enum dtype)t;
		poison_fill(got, sizeof(got), SALT);
		for (size_t i = 0; i < 500; i++) {
			dtype_store_int(dtype_is_float(dtype) ? DTYPE_F64 : dtype, want, i, 1);
			if (i < 300)
				dtype_store_int(dtype, got, i, 1);
		}
		struct compare c = run_with(0.25, dtype, extent, 2, got, want);
		CHECK_INT(c.nr_poison, 200);
		CHECK_INT(c.first_poison_at, 300);
		CHECK_INT(c.nr_wrong, 200);
		CHECK_INT(c.nr_wrong_slices, 2);
	}
}

TEST(an_unwritten_element_is_seen_where_a_nan_is_expected)
{
	int64_t extent[] = { 1, 2 };
	double want[] = { NAN, 1 };
	float got[2];
	poison_fill(got, sizeof(got), SALT);
	got[1] = 1;
	struct compare c = run_with(1e-3, DTYPE_F32, extent, 2, got, want);
	CHECK_INT(c.nr_poison, 1);
	CHECK_INT(c.nr_wrong, 0);
}

TEST(poison_of_another_call_is_just_wrong)
{
	int64_t extent[] = { 1, 2 };
	double want[] = { 2, 1 };
	float got[2];
	poison_fill(got, sizeof(got), SALT + 1);
	got[1] = 1;
	struct compare c = run_with(1e-3, DTYPE_F32, extent, 2, got, want);
	CHECK_INT(c.nr_poison, 0);
	CHECK_INT(c.nr_nonfinite_mismatch, 1);
}

TEST(integers_are_exact)
{
	static const enum dtype dtypes[] = { DTYPE_I64, DTYPE_I32, DTYPE_I8, DTYPE_U8, DTYPE_BOOL };
	int64_t extent[] = { 3, 3 };
	for (size_t t = 0; t < ARRAY_LEN(dtypes); t++) {
		unsigned char got[72] = { 0 };
		unsigned char want[72] = { 0 };
		for (size_t i = 0; i < 9; i++) {
			dtype_store_int(dtypes[t], got, i, i % 2);
			dtype_store_int(dtypes[t], want, i, i % 2);
		}
		struct compare c = run_with(0, dtypes[t], extent, 2, got, want);
		CHECK(c.nr_wrong == 0 && c.max_slice_err == 0);
		dtype_store_int(dtypes[t], got, 4, 1);
		c = run(dtypes[t], extent, 2, got, want);
		CHECK(isinf(c.max_slice_err));
		CHECK_INT(c.nr_wrong, 1);
		CHECK_INT(c.nr_wrong_slices, 1);
		CHECK_INT(c.worst_slice_at, 4);
		CHECK_INT(c.nr_zero, 4);
	}
}

TEST(large_integers_are_told_apart_beyond_the_bits_of_double)
{
	int64_t extent[] = { 1 };
	int64_t want = INT64_C(9007199254740993);
	int64_t got = INT64_C(9007199254740992);
	CHECK_INT(run(DTYPE_I64, extent, 1, &got, &want).nr_wrong, 1);
}

TEST(a_bool_is_one_byte_of_zero_or_one)
{
	int64_t extent[] = { 1 };
	uint8_t want = 1;
	uint8_t got = 2;
	CHECK_INT(run(DTYPE_BOOL, extent, 1, &got, &want).nr_wrong, 1);
}

TEST(outputs_need_not_be_aligned)
{
	int64_t extent[] = { 2, 129 };
	double want[258];
	unsigned char room[258 * 4 + 1];
	for (size_t i = 0; i < 258; i++) {
		float value = (float)i * 0.5F + 1;
		memcpy(room + 1 + 4 * i, &value, 4);
		want[i] = value;
	}
	struct compare c = run_with(0, DTYPE_F32, extent, 2, room + 1, want);
	CHECK(c.max_slice_err == 0 && c.nr_wrong == 0);
}

static void prints(const int64_t *extent, size_t rank, size_t at, const char *want)
{
	char text[32];
	compare_index_print(extent, rank, at, text, sizeof(text));
	CHECK_TEXT(text, want);
}

TEST(indices_are_printed_outermost_first)
{
	int64_t extent[] = { 2, 3, 4 };
	prints(extent, 3, 0, "[0,0,0]");
	prints(extent, 3, 23, "[1,2,3]");
	prints(extent, 3, 5, "[0,1,1]");
	prints(extent, 1, 1, "[1]");
	prints(extent, 0, 0, "[]");
}

TEST(an_index_without_room_is_cut)
{
	int64_t extent[] = { 1000, 1000 };
	char text[6];
	compare_index_print(extent, 2, 999999, text, sizeof(text));
	CHECK_TEXT(text, "[999,");
	compare_index_print(extent, 2, 999999, text, 3);
	CHECK_TEXT(text, "[9");
}

static struct compare run_by_origin(double relative, double absolute, const float *got,
				    const double *want, size_t nr)
{
	struct compare c;
	int64_t extent[] = { (int64_t)nr };
	struct compare_spec spec = { .dtype = DTYPE_F32,
				     .extent = extent,
				     .rank = 1,
				     .got = got,
				     .want = want,
				     .by_origin = true,
				     .relative = relative,
				     .absolute = absolute,
				     .poison_salt = SALT };
	compare_run(&spec, &c);
	return c;
}

TEST(an_origins_rule_allows_so_much_and_no_more)
{
	const double want[] = { 1, -2, 0, 100 };
	const float at_the_edge[] = { 1.5f, -2.75f, 0.25f, 74.75f };
	const float beyond[] = { 1.5f, -2.75f, 0.2500001f, 100 };
	struct compare c = run_by_origin(0.25, 0.25, at_the_edge, want, 4);
	CHECK_INT(c.nr_wrong, 0);
	CHECK(near(c.max_slice_err, 1));
	c = run_by_origin(0.25, 0.25, beyond, want, 4);
	CHECK_INT(c.nr_wrong, 1);
	CHECK_INT(c.worst_slice_at, 2);
	CHECK(c.max_slice_err > 1);
}

TEST(an_origins_rule_without_room_takes_equal_bits_only)
{
	const double want[] = { 1, 0 };
	const float same[] = { 1, 0 };
	const float other[] = { 1, 0x1p-149f };
	CHECK_INT(run_by_origin(0, 0, same, want, 2).nr_wrong, 0);
	CHECK_INT(run_by_origin(0, 0, other, want, 2).nr_wrong, 1);
	CHECK(isinf(run_by_origin(0, 0, other, want, 2).max_slice_err));
}

TEST(an_origins_rule_never_allows_what_is_not_finite_or_not_written)
{
	const double want[] = { 1, INFINITY, NAN, 3 };
	const float right[] = { 1, INFINITY, NAN, 3 };
	const float wrong[] = { NAN, 1, 2, -INFINITY };
	float unwritten[4];
	poison_fill(unwritten, sizeof(unwritten), SALT);
	CHECK_INT(run_by_origin(10, 10, right, want, 4).nr_wrong, 0);
	CHECK_INT(run_by_origin(10, 10, wrong, want, 4).nr_wrong, 4);
	CHECK_INT(run_by_origin(10, 10, wrong, want, 4).nr_nonfinite_mismatch, 4);
	CHECK_INT(run_by_origin(10, 10, unwritten, want, 4).nr_poison, 4);
}

TEST_MAIN()
