#include "judge/linear.h"

#include <float.h>
#include <math.h>

#include "base/mem.h"
#include "test.h"

TEST(a_power_of_two_changes_no_digit)
{
	const float in[] = { 0.1f, -3.7f, 0, 1e-20f };
	float out[4];
	CHECK(linear_scale(DTYPE_F32, in, 4, -64, out));
	for (int i = 0; i < 4; i++)
		CHECK(out[i] == in[i] * -64);
}

TEST(what_the_type_can_not_hold_is_no_probe)
{
	const float large[] = { 1, FLT_MAX };
	const float tiny[] = { 1, FLT_MIN * 1.5f };
	const float odd[] = { 1, NAN };
	float out[2];
	CHECK(!linear_scale(DTYPE_F32, large, 2, 8, out));
	CHECK(!linear_scale(DTYPE_F32, tiny, 2, 0x1p-23, out));
	CHECK(!linear_scale(DTYPE_F32, odd, 2, 8, out));
	CHECK(!linear_scale(DTYPE_F32, odd, 2, 0, out));
	CHECK(linear_scale(DTYPE_F32, large, 2, 0.125, out));
}

TEST(zero_makes_zeros)
{
	const double in[] = { -5, 7 };
	double out[2] = { 1, 1 };
	CHECK(linear_scale(DTYPE_F64, in, 2, 0, out));
	CHECK(out[0] == 0 && out[1] == 0);
	CHECK(linear_expect(DTYPE_F32, in, 2, 0, out));
	CHECK(out[0] == 0 && out[1] == 0);
}

TEST(expected_values_stay_off_both_ends_of_the_range)
{
	static const struct {
		enum dtype dtype;
		double value;
		double factor;
		bool is_well;
	} rows[] = {
		{ DTYPE_F32, 1e30, 256, true },    { DTYPE_F32, 1e36, 256, false },
		{ DTYPE_F32, 1e-30, 0.01, true },  { DTYPE_F32, 1e-36, 0x1p-8, false },
		{ DTYPE_F16, 3, 256, true },       { DTYPE_F16, 300, 256, false },
		{ DTYPE_F16, 0.5, 0.125, true },   { DTYPE_F16, 0.001, 0.125, false },
		{ DTYPE_F64, INFINITY, 8, false }, { DTYPE_F64, NAN, 8, false },
		{ DTYPE_F16, 0, 0.125, true },
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		double out = 0;
		CHECK_INT(linear_expect(rows[i].dtype, &rows[i].value, 1, rows[i].factor, &out),
			  rows[i].is_well);
		if (rows[i].is_well)
			CHECK(out == rows[i].value * rows[i].factor);
	}
}

TEST_MAIN()
