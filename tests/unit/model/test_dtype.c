#include "model/dtype.h"

#include <math.h>

#include "base/mem.h"
#include "test.h"

TEST(every_name_parses_back)
{
	for (int i = 0; i < DTYPE_NR; i++) {
		enum dtype t;
		CHECK_INT(dtype_parse(dtype_name((enum dtype)i), &t), 0);
		CHECK_INT(t, i);
	}
	enum dtype t;
	CHECK_INT(dtype_parse("f33", &t), -1);
	CHECK_INT(dtype_parse("", &t), -1);
}

struct code_row {
	enum dtype type;
	double value;
	unsigned code;
};

/* Published bit patterns: IEEE 754 half, bfloat16, OCP 8-bit floating point. */
static const struct code_row exact_rows[] = {
	{ DTYPE_F16, 1.0, 0x3C00 },         { DTYPE_F16, -2.0, 0xC000 },
	{ DTYPE_F16, 65504.0, 0x7BFF },     { DTYPE_F16, 0x1p-14, 0x0400 },
	{ DTYPE_F16, 0x1p-24, 0x0001 },     { DTYPE_F16, 0x1.ff8p-15, 0x03FF },
	{ DTYPE_F16, -0.0, 0x8000 },        { DTYPE_F16, INFINITY, 0x7C00 },
	{ DTYPE_BF16, 1.0, 0x3F80 },        { DTYPE_BF16, -0.5, 0xBF00 },
	{ DTYPE_BF16, 0x1.fep127, 0x7F7F }, { DTYPE_BF16, 0x1p-133, 0x0001 },
	{ DTYPE_BF16, -INFINITY, 0xFF80 },  { DTYPE_F8E4M3, 448.0, 0x7E },
	{ DTYPE_F8E4M3, 1.0, 0x38 },        { DTYPE_F8E4M3, 0x1p-9, 0x01 },
	{ DTYPE_F8E4M3, -0x1p-6, 0x88 },    { DTYPE_F8E5M2, 57344.0, 0x7B },
	{ DTYPE_F8E5M2, 1.0, 0x3C },        { DTYPE_F8E5M2, 0x1p-16, 0x01 },
	{ DTYPE_F8E5M2, INFINITY, 0x7C },
};

static unsigned code_of(enum dtype t, double value)
{
	uint16_t bits = 0;
	dtype_store(t, &bits, 0, value);
	return bits;
}

TEST(small_floats_have_the_published_bits)
{
	for (size_t i = 0; i < ARRAY_LEN(exact_rows); i++) {
		const struct code_row *row = &exact_rows[i];
		uint16_t bits = (uint16_t)row->code;
		double back = dtype_load(row->type, &bits, 0);
		CHECK_INT(code_of(row->type, row->value), row->code);
		CHECK(back == row->value && signbit(back) == signbit(row->value));
	}
}

static const struct code_row rounded_rows[] = {
	{ DTYPE_F16, 1.0 + 0x1p-11, 0x3C00 },           /* tie to even, down */
	{ DTYPE_F16, 1.0 + 0x1p-10 + 0x1p-11, 0x3C02 }, /* tie to even, up */
	{ DTYPE_F16, 1.0 + 0x1p-11 + 0x1p-40, 0x3C01 }, /* no double rounding */
	{ DTYPE_F16, 65519.9, 0x7BFF },                 /* just below the halfway point */
	{ DTYPE_F16, 65520.0, 0x7C00 },                 /* rounds to infinity */
	{ DTYPE_F16, 1e300, 0x7C00 },
	{ DTYPE_F16, 0x1p-25, 0x0000 },     /* half of the least: to even */
	{ DTYPE_F16, 0x1.8p-25, 0x0001 },   /* above half */
	{ DTYPE_F16, 0x1.ffcp-15, 0x0400 }, /* subnormal rounds up to normal */
	{ DTYPE_F16, 1e-320, 0x0000 },
	{ DTYPE_BF16, 0x1.ffp127, 0x7F80 },
	{ DTYPE_F8E4M3, 464.0, 0x7E }, /* tie between 448 and 480: even is 448 */
	{ DTYPE_F8E4M3, 465.0, 0x7F }, /* no infinity: NaN */
	{ DTYPE_F8E4M3, INFINITY, 0x7F },
	{ DTYPE_F8E4M3, -1e9, 0xFF },
	{ DTYPE_F8E5M2, 61440.0, 0x7C }, /* tie to even is infinity */
	{ DTYPE_F8E5M2, -61439.0, 0xFB },
};

TEST(stores_round_to_nearest_even_once)
{
	for (size_t i = 0; i < ARRAY_LEN(rounded_rows); i++)
		CHECK_INT(code_of(rounded_rows[i].type, rounded_rows[i].value),
			  rounded_rows[i].code);
}

TEST(every_code_of_a_small_float_survives_the_way_through_double)
{
	static const enum dtype types[] = { DTYPE_F16, DTYPE_BF16, DTYPE_F8E4M3, DTYPE_F8E5M2 };
	for (size_t k = 0; k < ARRAY_LEN(types); k++) {
		unsigned nr = dtype_bytes(types[k]) == 1 ? 256 : 65536;
		for (unsigned code = 0; code < nr; code++) {
			uint16_t bits = (uint16_t)code;
			double value = dtype_load(types[k], &bits, 0);
			if (isnan(value))
				CHECK(isnan(dtype_load(types[k], &bits, 0)));
			else
				CHECK_INT(code_of(types[k], value), code);
		}
	}
}

TEST(nan_stays_nan_in_every_float_type)
{
	for (int i = 0; i < DTYPE_NR; i++) {
		unsigned char bytes[8] = { 0 };
		if (!dtype_is_float((enum dtype)i))
			continue;
		dtype_store((enum dtype)i, bytes, 0, NAN);
		CHECK(isnan(dtype_load((enum dtype)i, bytes, 0)));
	}
}

TEST(integers_saturate_and_round_instead_of_wrapping)
{
	unsigned char bytes[8] = { 0 };
	dtype_store(DTYPE_I8, bytes, 0, 300);
	CHECK_INT(dtype_load_int(DTYPE_I8, bytes, 0), 127);
	dtype_store(DTYPE_U8, bytes, 0, -1);
	CHECK_INT(dtype_load_int(DTYPE_U8, bytes, 0), 0);
	dtype_store(DTYPE_I32, bytes, 0, 2.5);
	CHECK_INT(dtype_load_int(DTYPE_I32, bytes, 0), 2);
	dtype_store(DTYPE_I64, bytes, 0, 1e30);
	CHECK(dtype_load_int(DTYPE_I64, bytes, 0) == INT64_MAX);
	dtype_store(DTYPE_I64, bytes, 0, NAN);
	CHECK_INT(dtype_load_int(DTYPE_I64, bytes, 0), 0);
	dtype_store_int(DTYPE_I32, bytes, 0, INT64_MIN);
	CHECK_INT(dtype_load_int(DTYPE_I32, bytes, 0), INT32_MIN);
	dtype_store(DTYPE_BOOL, bytes, 0, 0.25);
	CHECK_INT(bytes[0], 1);
}

TEST(wide_integers_are_exact_through_the_integer_calls)
{
	int64_t value = (INT64_C(1) << 53) + 1;
	unsigned char bytes[16] = { 0 };
	dtype_store_int(DTYPE_I64, bytes, 1, value);
	CHECK(dtype_load_int(DTYPE_I64, bytes, 1) == value);
	CHECK_INT(dtype_load_int(DTYPE_I64, bytes, 0), 0);
}

TEST(elements_need_no_alignment)
{
	unsigned char bytes[32] = { 0 };
	dtype_store(DTYPE_F64, bytes + 1, 2, 3.25);
	CHECK(dtype_load(DTYPE_F64, bytes + 1, 2) == 3.25);
	dtype_store(DTYPE_F32, bytes + 3, 0, 0.1);
	CHECK(dtype_load(DTYPE_F32, bytes + 3, 0) == (double)0.1F);
}

TEST(floors_are_one_unit_in_the_last_place)
{
	CHECK(dtype_floor(DTYPE_F32) == 0x1p-23);
	CHECK(dtype_floor(DTYPE_BF16) == 0x1p-7);
	CHECK(dtype_floor(DTYPE_F16) == 0x1p-10);
	CHECK(dtype_floor(DTYPE_I32) == 0);
	CHECK_TEXT(dtype_ctype(DTYPE_BF16), "uint16_t");
}

TEST_MAIN()
