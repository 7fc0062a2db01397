#include "report/usage_text.h"

#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "store/fold.h"
#include "test.h"

static const struct {
	struct usage usage;
	const char *tokens;
	const char *usd;
	const char *basis;
} rows[] = {
	{ { 0 }, "0", "0.00", "-" },
	{ { .requests = 1, .tokens = 900, .usd = 1.254, .basis = USAGE_REPORTED },
	  "900",
	  "1.25",
	  "reported" },
	{ { .requests = 1, .tokens = 900, .usd = 0.0031, .basis = USAGE_TABLE },
	  "900",
	  "0.0031",
	  "price table" },
	{ { .requests = 1, .tokens = 900, .usd = 0, .basis = USAGE_TABLE },
	  "900",
	  "0.00",
	  "price table" },
	{ { .requests = 1, .tokens = 900, .usd = 0, .basis = USAGE_UNKNOWN },
	  "900",
	  "unknown",
	  "unknown" },
	{ { .requests = 1, .tokens = 900, .usd = 0, .basis = USAGE_PARTIAL },
	  "900",
	  "unknown",
	  "known in part" },
	{ { .tokens = 900, .untold = 1u << USAGE_TOKENS, .usd = 2, .basis = USAGE_PARTIAL },
	  "≥900",
	  "≥2.00",
	  "known in part" },
	{ { .untold = 1u << USAGE_TOKENS }, "unknown", "unknown", "unknown" },
};

TEST(what_is_not_known_never_reads_0)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO_STR struct str tokens = STR_INIT;
		AUTO_STR struct str usd = STR_INIT;
		text_count(&rows[i].usage, USAGE_TOKENS, &tokens);
		text_usd(&rows[i].usage, &usd);
		CHECK_TEXT(tokens.text, rows[i].tokens);
		CHECK_TEXT(usd.text, rows[i].usd);
		CHECK_TEXT(text_basis(&rows[i].usage), rows[i].basis);
	}
}

TEST(what_is_not_known_is_null_in_json)
{
	struct usage unknown = usage_unknown();
	struct usage known = { .tokens = 3, .usd = 0, .basis = USAGE_TABLE };
	AUTO_JSON json_t *none = count_json(&unknown, USAGE_TOKENS);
	AUTO_JSON json_t *no_usd = usd_json(&unknown);
	AUTO_JSON json_t *some = count_json(&known, USAGE_TOKENS);
	AUTO_JSON json_t *usd = usd_json(&known);
	CHECK(json_is_null(none) && json_is_null(no_usd));
	CHECK_INT(json_integer_value(some), 3);
	CHECK(json_is_real(usd) && json_real_value(usd) == 0);
}

TEST(usage_reads_as_one_line)
{
	AUTO_STR struct str text = STR_INIT;
	struct usage u = { .requests = 12,
			   .tool_calls = 4,
			   .input = 800,
			   .cache_read = 50,
			   .output = 100,
			   .tokens = 950,
			   .usd = 1.25,
			   .basis = USAGE_TABLE };
	text_usage(&u, &text);
	CHECK_TEXT(text.text, "12 requests, 4 tool calls, 950 tokens: 800 in, 50 read from caches, "
			      "100 out; 1.25 USD (price table)");
}

TEST(only_the_limits_that_a_run_has_are_told)
{
	AUTO_STR struct str text = STR_INIT;
	struct run_state s = { .nr_rounds = 0 };
	limits_set(&s.limits[LIMITS_RUN], RESOURCE_USD, 20);
	limits_set(&s.limits[LIMITS_RUN], RESOURCE_TOKENS, 1000);
	limits_set(&s.limits[LIMITS_RUN], RESOURCE_REQUESTS, 5);
	s.student_usage.used =
		(struct usage){ .requests = 2, .tokens = 30, .usd = 1, .basis = USAGE_REPORTED };
	text_limits(&s, &text);
	CHECK_TEXT(text.text, "1.00 of 20.00 USD, 30 of 1000 tokens, 2 of 5 requests");
}

TEST_MAIN()
