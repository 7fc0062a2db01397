#include "model/limits.h"

#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "test.h"

/* What may be limited, and when it is used up. */

TEST(every_resource_has_a_name_and_an_amount)
{
	const struct spending nothing = { .seconds = 0 };
	for (int i = 0; i < RESOURCE_NR; i++) {
		enum resource r = (enum resource)i;
		CHECK_INT(resource_parse(resource_name(r)), r);
		CHECK(spending_amount(&nothing, r) == 0);
		CHECK(resource_budget(r)[0] && resource_unit(r)[0]);
	}
	CHECK_INT(resource_parse("hours"), RESOURCE_NR);
}

TEST(a_limit_is_used_up_when_it_is_reached_and_not_before)
{
	struct limits l = { .set = 0 };
	struct spending s = { .seconds = 9, .used = { .requests = 3, .output = 40, .usd = 0.5 } };
	CHECK_INT(limits_over(&l, &s), RESOURCE_NR);
	limits_set(&l, RESOURCE_REQUESTS, 4);
	limits_set(&l, RESOURCE_OUTPUT, 41);
	CHECK_INT(limits_over(&l, &s), RESOURCE_NR);
	s.used.requests = 4;
	CHECK_INT(limits_over(&l, &s), RESOURCE_REQUESTS);
	limits_set(&l, RESOURCE_TIME, 9);
	CHECK_INT(limits_over(&l, &s), RESOURCE_TIME);
}

/* Nothing may be spent, and nothing was. */
TEST(a_limit_of_nothing_is_not_used_up_by_nothing)
{
	struct limits l = { .set = 0 };
	struct spending s = { .seconds = 0 };
	limits_set(&l, RESOURCE_USD, 0);
	CHECK_INT(limits_over(&l, &s), RESOURCE_NR);
	s.used.usd = 0.01;
	CHECK_INT(limits_over(&l, &s), RESOURCE_USD);
}

TEST(limits_are_the_same_after_json)
{
	struct limits l = { .set = 0 };
	struct limits again = { .set = 0 };
	limits_set(&l, RESOURCE_TIME, 1800);
	limits_set(&l, RESOURCE_USD, 2.5);
	limits_set(&l, RESOURCE_CACHE_WRITE_1H, 1125899906842624.0);
	AUTO_JSON json_t *obj = limits_to_json(&l);
	AUTO_FREE char *text = json_line(obj);
	CHECK_TEXT(text, "{\"cache_write_1h\":1125899906842624,\"time\":1800.0,\"usd\":2.5}");
	limits_from_json(&again, obj);
	CHECK(limits_equal(&l, &again));
	limits_set(&again, RESOURCE_USD, 2.6);
	CHECK(!limits_equal(&l, &again));
}

TEST(limits_read_as_one_line)
{
	struct limits l = { .set = 0 };
	AUTO_STR struct str text = STR_INIT;
	limits_print(&l, &text);
	CHECK_TEXT(text.text, "");
	limits_set(&l, RESOURCE_TIME, 1800);
	limits_set(&l, RESOURCE_USD, 2);
	limits_set(&l, RESOURCE_REQUESTS, 10);
	limits_set(&l, RESOURCE_OUTPUT, 900);
	limits_print(&l, &text);
	CHECK_TEXT(text.text, "0.5 h, 2.00 USD, 10 requests, 900 tokens of output");
}

TEST_MAIN()
