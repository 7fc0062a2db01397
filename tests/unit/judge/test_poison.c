#include <math.h>

#include "base/mem.h"
#include "judge/poison.h"
#include "test.h"

TEST(poison_is_a_nan_in_every_type_of_two_bytes_or_more)
{
	static const enum dtype dtypes[] = { DTYPE_F64, DTYPE_F32, DTYPE_F16, DTYPE_BF16 };
	for (uint64_t salt = 0; salt < 500; salt++) {
		unsigned char buf[32];
		poison_fill(buf, sizeof(buf), salt);
		for (size_t t = 0; t < ARRAY_LEN(dtypes); t++) {
			for (size_t i = 0; i < sizeof(buf) / dtype_bytes(dtypes[t]); i++)
				CHECK(isnan(dtype_load(dtypes[t], buf, i)));
		}
	}
}

TEST(poison_is_not_the_nan_that_hardware_makes)
{
	for (uint64_t salt = 0; salt < 500; salt++) {
		unsigned char own[8];
		unsigned char buf[8];
		poison_fill(buf, sizeof(buf), salt);
		for (size_t t = 0; t <= DTYPE_BF16; t++) {
			dtype_store((enum dtype)t, own, 0, NAN);
			CHECK(memcmp(own, buf, dtype_bytes((enum dtype)t)) != 0);
		}
		CHECK(buf[0] != 0xff);
	}
}

TEST(poison_is_far_out_of_range_as_an_integer)
{
	for (uint64_t salt = 0; salt < 100; salt++) {
		unsigned char buf[16];
		poison_fill(buf, sizeof(buf), salt);
		CHECK(dtype_load_int(DTYPE_I64, buf, 1) > INT64_C(9000000000000000000));
		CHECK(dtype_load_int(DTYPE_I32, buf, 3) > 2000000000);
		CHECK(dtype_load_int(DTYPE_BOOL, buf, 5) > 1);
	}
}

TEST(salts_give_different_patterns)
{
	unsigned nr_same = 0;
	for (uint64_t salt = 0; salt < 1000; salt++) {
		unsigned char a[8];
		unsigned char b[8];
		poison_pattern(salt, a);
		poison_pattern(salt + 1, b);
		nr_same += memcmp(a, b, 8) == 0;
	}
	CHECK(nr_same <= 2);
}

TEST(any_length_is_filled_and_nothing_beyond)
{
	for (size_t len = 0; len < 70; len++) {
		unsigned char buf[72];
		memset(buf, 1, sizeof(buf));
		poison_fill(buf, len, 9);
		CHECK(poison_is_intact(buf, len, 9, NULL));
		for (size_t i = len; i < sizeof(buf); i++)
			CHECK(buf[i] == 1);
	}
}

TEST(elements_that_still_hold_poison_are_counted)
{
	for (size_t t = 0; t < DTYPE_NR; t++) {
		unsigned char buf[100 * 8];
		poison_fill(buf, sizeof(buf), 4);
		CHECK_INT(poison_count((enum dtype)t, buf, 100, 4), 100);
		dtype_store_int((enum dtype)t, buf, 0, 0);
		dtype_store_int((enum dtype)t, buf, 51, 1);
		CHECK_INT(poison_count((enum dtype)t, buf, 100, 4), 98);
	}
}

TEST(a_broken_canary_names_its_first_byte)
{
	unsigned char area[64];
	size_t first = 0;
	poison_fill(area, sizeof(area), 1);
	CHECK(poison_is_intact(area, sizeof(area), 1, &first));
	area[17] ^= 1;
	area[40] ^= 1;
	CHECK(!poison_is_intact(area, sizeof(area), 1, &first));
	CHECK_INT(first, 17);
	CHECK(!poison_is_intact(area, sizeof(area), 1, NULL));
}

TEST_MAIN()
