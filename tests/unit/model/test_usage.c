#include "model/usage.h"

#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "test.h"

static struct usage read_text(const char *text)
{
	struct usage u;
	AUTO_JSON json_t *obj = json_loads(text, 0, NULL);
	CHECK(obj);
	CHECK_INT(usage_read(&u, obj), 0);
	return u;
}

TEST(what_is_missing_is_untold)
{
	struct usage u = read_text("{\"input\":10,\"output\":5,\"cache_read\":100}");
	CHECK_INT(u.input, 10);
	CHECK_INT(u.tokens, 115);
	CHECK(usage_is_told(&u, USAGE_TOKENS));
	CHECK(usage_is_told(&u, USAGE_OUTPUT));
	CHECK(!usage_is_told(&u, USAGE_REQUESTS));
	CHECK(!usage_is_told(&u, USAGE_CACHE_WRITE_1H));
	CHECK_INT(u.basis, USAGE_UNKNOWN);
}

TEST(no_object_is_unknown_as_a_whole)
{
	struct usage u;
	CHECK_INT(usage_read(&u, NULL), -1);
	for (int i = 0; i < USAGE_NR_COUNTS; i++)
		CHECK(!usage_is_told(&u, (enum usage_count)i));
	CHECK_INT(u.basis, USAGE_UNKNOWN);
}

TEST(nonsense_is_untold)
{
	static const char *const texts[] = {
		"{\"input\":-1}",         "{\"input\":\"9\"}", "{\"input\":1.5}",
		"{\"input\":null}",       "{\"input\":true}",  "{\"input\":9000000000000000000}",
		"{\"usd\":-0.5}",         "{\"usd\":\"1\"}",   "{\"usd\":1e12}",
		"{\"at_least\":\"usd\"}",
	};
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		struct usage u = read_text(texts[i]);
		CHECK_INT(u.input, 0);
		CHECK(!usage_is_told(&u, USAGE_INPUT));
		CHECK_INT(u.basis, USAGE_UNKNOWN);
		CHECK(u.usd == 0);
	}
}

TEST(a_sum_alone_is_told_and_its_kinds_are_not)
{
	struct usage u = read_text("{\"tokens\":300,\"usd\":0.45}");
	CHECK_INT(u.tokens, 300);
	CHECK(usage_is_told(&u, USAGE_TOKENS));
	CHECK(!usage_is_told(&u, USAGE_INPUT));
	CHECK_INT(u.basis, USAGE_REPORTED);
	CHECK(u.usd == 0.45);
}

TEST(the_kinds_stand_where_they_differ_from_the_sum)
{
	struct usage u = read_text("{\"tokens\":7,\"input\":10,\"output\":5}");
	CHECK_INT(u.tokens, 15);
}

TEST(half_of_the_kinds_is_a_lower_bound_of_the_sum)
{
	struct usage u = read_text("{\"output\":5}");
	CHECK_INT(u.tokens, 5);
	CHECK(!usage_is_told(&u, USAGE_TOKENS));
}

TEST(no_request_and_no_token_cost_nothing)
{
	struct usage u = read_text("{\"requests\":0,\"input\":0,\"output\":0}");
	CHECK_INT(u.basis, USAGE_REPORTED);
	u = read_text("{\"requests\":1,\"input\":0,\"output\":0}");
	CHECK_INT(u.basis, USAGE_UNKNOWN);
}

TEST(nothing_changes_no_sum)
{
	struct usage u = read_text("{\"requests\":2,\"input\":10,\"output\":5,\"usd\":0.5}");
	struct usage sum = { 0 };
	const struct usage nothing = { 0 };
	usage_add(&sum, &u);
	usage_add(&sum, &nothing);
	CHECK_INT(sum.basis, USAGE_REPORTED);
	CHECK_INT(sum.requests, 2);
	CHECK_INT(sum.tokens, 15);
	CHECK(sum.usd == 0.5);
	CHECK(usage_is_told(&sum, USAGE_REQUESTS));
}

TEST(what_cost_nothing_leaves_the_rest_as_well_known_as_it_was)
{
	struct usage sum = read_text("{\"tokens\":0,\"usd\":0}");
	struct usage silent = usage_unknown();
	usage_add(&sum, &silent);
	CHECK_INT(sum.basis, USAGE_UNKNOWN);
}

/* Each pair of bases, and what their sum may claim. */
TEST(a_sum_claims_no_more_than_its_parts)
{
	static const enum usage_basis want[4][4] = {
		{ USAGE_UNKNOWN, USAGE_PARTIAL, USAGE_PARTIAL, USAGE_PARTIAL },
		{ USAGE_PARTIAL, USAGE_REPORTED, USAGE_TABLE, USAGE_PARTIAL },
		{ USAGE_PARTIAL, USAGE_TABLE, USAGE_TABLE, USAGE_PARTIAL },
		{ USAGE_PARTIAL, USAGE_PARTIAL, USAGE_PARTIAL, USAGE_PARTIAL },
	};
	for (int a = 0; a < 4; a++)
		for (int b = 0; b < 4; b++) {
			struct usage sum = { .requests = 1, .basis = (enum usage_basis)a };
			const struct usage more = { .requests = 1, .basis = (enum usage_basis)b };
			usage_add(&sum, &more);
			CHECK_INT(sum.basis, want[a][b]);
		}
}

TEST(a_part_that_told_nothing_makes_a_sum_a_lower_bound)
{
	struct usage sum = read_text("{\"requests\":2,\"input\":10,\"output\":5,\"usd\":0.5}");
	struct usage silent = usage_unknown();
	usage_add(&sum, &silent);
	CHECK_INT(sum.basis, USAGE_PARTIAL);
	CHECK_INT(sum.requests, 2);
	CHECK(!usage_is_told(&sum, USAGE_REQUESTS));
	CHECK(sum.usd == 0.5);
}

static void check_round_trip(const struct usage *u)
{
	AUTO_JSON json_t *obj = usage_to_json(u);
	struct usage again;
	CHECK_INT(usage_read(&again, obj), 0);
	for (int i = 0; i < USAGE_NR_COUNTS; i++) {
		enum usage_count count = (enum usage_count)i;
		CHECK_INT(usage_count_get(&again, count), usage_count_get(u, count));
		CHECK_INT(usage_is_told(&again, count), usage_is_told(u, count));
	}
	CHECK_INT(again.basis, u->basis);
	CHECK(again.usd == u->usd);
}

TEST(the_log_keeps_what_was_told_and_what_was_not)
{
	struct usage unknown = usage_unknown();
	struct usage nothing = { 0 };
	struct usage whole = { .requests = 3,
			       .tool_calls = 2,
			       .input = 10,
			       .cache_read = 20,
			       .output = 5,
			       .reasoning = 4,
			       .tokens = 35,
			       .usd = 0.125,
			       .basis = USAGE_TABLE };
	struct usage bound = whole;
	usage_add(&bound, &unknown);
	check_round_trip(&unknown);
	check_round_trip(&whole);
	check_round_trip(&bound);
	AUTO_JSON json_t *none = usage_to_json(&nothing);
	CHECK_INT(usage_read(&nothing, none), 0);
	CHECK(usage_is_free(&nothing));
	AUTO_JSON json_t *obj = usage_to_json(&unknown);
	CHECK(!json_object_get(obj, "usd"));
	CHECK(!json_object_get(obj, "input"));
}

TEST_MAIN()
