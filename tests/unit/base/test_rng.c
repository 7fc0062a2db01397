#include "base/rng.h"

#include "base/err.h"
#include "test.h"

TEST(a_seed_that_was_given_stays_and_a_drawn_one_fits_a_signed_number)
{
	struct err e = { 0 };
	uint64_t given = 42;
	uint64_t drawn = 0;
	uint64_t again = 0;
	CHECK_OK(rng_draw_seed(&given, &e));
	CHECK_OK(rng_draw_seed(&drawn, &e));
	CHECK_OK(rng_draw_seed(&again, &e));
	CHECK_INT(given, 42);
	CHECK(drawn <= INT64_MAX && again <= INT64_MAX);
	CHECK(drawn != again);
}

TEST_MAIN()
