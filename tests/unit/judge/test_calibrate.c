#include <math.h>

#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "judge/calibrate.h"
#include "test.h"

static const int64_t extent[] = { 4, 10 };

static bool add(struct calibration *c, const char *group, enum dtype dtype, struct compare cmp)
{
	struct calibrate_case one = { .shape = "odd",
				      .group = group,
				      .output = "y",
				      .dtype = dtype,
				      .extent = extent,
				      .rank = 2,
				      .compare = &cmp };
	return calibrate_add(c, &one);
}

static struct compare errors(double slice, double tensor)
{
	return (struct compare){ .nr = 40,
				 .max_slice_err = slice,
				 .max_tensor_err = tensor,
				 .worst_slice_at = 13,
				 .worst_tensor_at = 24 };
}

TEST(the_largest_error_of_a_group_makes_its_tolerance)
{
	struct err e = { 0 };
	AUTO_CALIBRATION struct calibration c = { 0 };
	CHECK(add(&c, "normal", DTYPE_F32, errors(1e-5, 4e-6)));
	CHECK(add(&c, "normal", DTYPE_F32, errors(3e-5, 1e-6)));
	CHECK(add(&c, "tiny", DTYPE_F32, errors(0, 0)));
	const struct tolerances *t = calibrate_finish(&c, &e);
	CHECK(t && t->nr == 2);
	CHECK(tolerances_find(t, "normal", "y")->slice == 6e-5);
	CHECK(tolerances_find(t, "normal", "y")->tensor == 8e-6);
	CHECK(tolerances_find(t, "tiny", "y")->slice == 0x1p-22);
}

TEST(a_reference_far_from_its_judge_is_a_mismatch)
{
	struct err e = { 0 };
	AUTO_CALIBRATION struct calibration c = { 0 };
	CHECK(add(&c, "normal", DTYPE_F32, errors(1e-2, 1e-2)));
	CHECK(!add(&c, "tiny", DTYPE_F32, errors(1.1e-2, 0)));
	CHECK(!add(&c, "huge", DTYPE_F32, errors(0, 0.5)));
	CHECK(!calibrate_finish(&c, &e));
	CHECK_INT(e.kind, ERR_INPUT);
	CHECK_TEXT(e.text, "judge and reference do not compute the same: case odd/tiny, output "
			   "y[1,3]: values differ (normalised error 0.011); 2 mismatches in all");
	CHECK_TEXT(c.mismatches[1].index, "[2,4]");
	CHECK(c.mismatches[1].err == 0.5);
}

TEST(coarse_types_are_aligned_within_their_floor)
{
	AUTO_CALIBRATION struct calibration c = { 0 };
	CHECK(add(&c, "a", DTYPE_F8E4M3, errors(0.06, 0.06)));
	CHECK(!add(&c, "b", DTYPE_F8E4M3, errors(0.13, 0.06)));
	CHECK(!add(&c, "b", DTYPE_BF16, errors(0.06, 0.06)));
}

TEST(any_integer_difference_is_a_mismatch)
{
	AUTO_CALIBRATION struct calibration c = { 0 };
	CHECK(add(&c, "a", DTYPE_I32, errors(0, 0)));
	CHECK(!add(&c, "a", DTYPE_I32, errors(INFINITY, INFINITY)));
}

TEST(a_nonfinite_mismatch_and_unwritten_elements_say_so)
{
	struct err e = { 0 };
	AUTO_CALIBRATION struct calibration c = { 0 };
	struct compare cmp = errors(INFINITY, INFINITY);
	cmp.nr_nonfinite_mismatch = 2;
	cmp.first_nonfinite_at = 5;
	CHECK(!add(&c, "a", DTYPE_F32, cmp));
	CHECK(!calibrate_finish(&c, &e));
	CHECK(strstr(e.text, "y[0,5]: NaN or infinity on one side only"));
	cmp = errors(0, 0);
	cmp.nr_poison = 1;
	cmp.first_poison_at = 39;
	CHECK(!add(&c, "a", DTYPE_F32, cmp));
	CHECK_TEXT(c.mismatches[1].index, "[3,9]");
	CHECK_INT(c.mismatches[1].nr_poison, 1);
}

TEST(the_author_of_a_judge_is_told_every_mismatch)
{
	AUTO_CALIBRATION struct calibration c = { 0 };
	for (int i = 0; i < 40; i++)
		CHECK(!add(&c, "a", DTYPE_F32, errors(i == 39 ? INFINITY : 0.5, 0)));
	struct compare unwritten = errors(0, 0);
	unwritten.nr_poison = 1;
	CHECK(!add(&c, "a", DTYPE_F32, unwritten));
	AUTO_JSON json_t *json = calibrate_mismatches_to_json(&c);
	CHECK_INT(json_array_size(json), 41);
	AUTO_FREE char *line = json_line(json_array_get(json, 0));
	CHECK_TEXT(line,
		   "{\"error\":0.5,\"group\":\"a\",\"index\":\"[1,3]\",\"kind\":\"values differ\","
		   "\"output\":\"y\",\"shape\":\"odd\"}");
	CHECK_TEXT(json_text_or(json_array_get(json, 39), "error", ""), "inf");
	CHECK_TEXT(json_text_or(json_array_get(json, 40), "kind", ""),
		   "the reference leaves elements unwritten");
}

TEST(an_origins_tolerance_is_not_made_from_errors_and_its_judge_decides)
{
	struct err e = { 0 };
	AUTO_CALIBRATION struct calibration c = { 0 };
	const struct tolerance origin = { .is_origin = true, .relative = 0.5, .absolute = 0.25 };
	struct compare far = errors(0.3, 0.3);
	struct compare passes = { .nr = 40 };
	struct compare fails = { .nr = 40, .nr_wrong = 1 };
	struct calibrate_case one = { .shape = "odd",
				      .group = "normal",
				      .output = "y",
				      .dtype = DTYPE_F32,
				      .extent = extent,
				      .rank = 2,
				      .compare = &far,
				      .origin = &origin,
				      .by_origin = &passes };
	CHECK(calibrate_add(&c, &one));
	const struct tolerances *t = calibrate_finish(&c, &e);
	CHECK(t && t->rows[0].tol.is_origin && t->rows[0].tol.relative == 0.5);
	CHECK(t->rows[0].reference.slice == 0.3);
	one.by_origin = &fails;
	CHECK(!calibrate_add(&c, &one));
	CHECK(!calibrate_finish(&c, &e));
	CHECK(str_starts(e.text, "the reference does not pass the origin's own judge: case "));
}

static bool is_aligned_still(struct compare c, size_t nr_wrong_slices)
{
	c.nr_slices = 4096;
	c.nr_wrong_slices = nr_wrong_slices;
	return calibrate_is_aligned_still(DTYPE_F32, &c);
}

TEST(a_reference_stays_aligned_where_few_slices_cancel)
{
	CHECK(is_aligned_still(errors(0.012, 7e-5), 1));
	CHECK(is_aligned_still(errors(0.3, 7e-5), 5));
	CHECK(is_aligned_still(errors(1e-5, 1e-5), 0));
	CHECK(!is_aligned_still(errors(0.012, 7e-5), 6));
	CHECK(!is_aligned_still(errors(0.6, 7e-5), 1));
	CHECK(!is_aligned_still(errors(0.012, 0.011), 1));
	struct compare poisoned = errors(1e-5, 1e-5);
	poisoned.nr_poison = 1;
	CHECK(!is_aligned_still(poisoned, 0));
	struct compare inexact = errors((double)INFINITY, (double)INFINITY);
	inexact.nr_slices = 4096;
	inexact.nr_wrong_slices = 1;
	CHECK(!calibrate_is_aligned_still(DTYPE_I32, &inexact));
}

TEST_MAIN()
