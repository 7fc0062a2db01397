#include "model/prices.h"

#include <math.h>

#include "base/err.h"
#include "base/str.h"
#include "model/usage.h"
#include "test.h"

static const char table[] = "# date: 2026-11-30\n"
			    "# a comment\n"
			    "\n"
			    "0000-00-00\tacme\tduck-5\t0\t4\t0.5\t5\t8\t20\n"
			    "2026-10-07\tacme\tduck-5\t0\t2\t0.25\t5\t8\t10\n"
			    "2027-01-01\tacme\tduck-5\t0\t1\t0.1\t5\t8\t5\n"
			    "0000-00-00\tacme\tduck-5-mini\t0\t0.1\t0.01\t-\t-\t0.5\n"
			    "0000-00-00\tacme\tduck-5-mini\t1001\t0.5\t0.05\t-\t-\t2.5\n"
			    "0000-00-00\tacme\tduck-5-mini\t5001\t-\t-\t-\t-\t-\n"
			    "2026-12-24\tacme\tduck-6\t0\t4\t1\t1\t1\t20\n"
			    "0000-00-00\tacme\tgoose\t0\t1\t1\t1\t1\t1\n"
			    "0000-00-00\tother\tgoose\t0\t2\t2\t2\t2\t2\n"
			    "0000-00-00\tshed\t*\t0\t0\t0\t0\t0\t0\n";

static const char own[] = "# date: 2026-12-01\n"
			  "0000-00-00\tacme\tduck\t0\t100\t100\t100\t100\t100\n";

static void open_table(struct prices *p)
{
	struct err e = { 0 };
	*p = (struct prices){ 0 };
	CHECK_OK(prices_parse(p, table, "prices.tsv", false, &e));
}

static struct usage one_request(uint64_t input, uint64_t output)
{
	return (struct usage){
		.requests = 1, .input = input, .output = output, .tokens = input + output
	};
}

#define NEAR(a, b) (fabs((a) - (b)) < 1e-12)

/* One request of 1000 tokens in and 100 out, on the last of November. */
static const struct {
	const char *provider;
	const char *model;
	enum usage_basis basis;
	double usd;
} names[] = {
	{ "acme", "duck-5", USAGE_TABLE, 0.003 },
	{ NULL, "duck-5", USAGE_TABLE, 0.003 },
	{ "Acme", "Duck-5", USAGE_TABLE, 0.003 },
	{ NULL, "acme/duck-5", USAGE_TABLE, 0.003 },
	{ "acme", "acme/duck-5-20260801", USAGE_TABLE, 0.003 },
	{ "acme", "duck-5-2026-08-01", USAGE_TABLE, 0.003 },
	{ "acme", "duck-5@20260801", USAGE_TABLE, 0.003 },
	{ "acme", "duck-5[1m]", USAGE_TABLE, 0.003 },
	{ "acme", "duck-5-mini", USAGE_TABLE, 0.00015 },
	{ "acme", "duck-5-mini-20260801", USAGE_TABLE, 0.00015 },
	{ "acme", "duck-50", USAGE_UNKNOWN, 0 },
	{ "acme", "duck", USAGE_UNKNOWN, 0 },
	{ "acme", "swan", USAGE_UNKNOWN, 0 },
	{ "acme", NULL, USAGE_UNKNOWN, 0 },
	{ "acme", "", USAGE_UNKNOWN, 0 },
	{ "elsewhere", "duck-5", USAGE_UNKNOWN, 0 },
	{ NULL, "elsewhere/duck-5", USAGE_UNKNOWN, 0 },
	{ "acme", "duck-6", USAGE_UNKNOWN, 0 }, /* not yet in force */
	{ NULL, "goose", USAGE_UNKNOWN, 0 },    /* whose? */
	{ "other", "goose", USAGE_TABLE, 0.0022 },
	{ "shed", "whatever-7b", USAGE_TABLE, 0 }, /* for nothing, as the table says */
	{ NULL, "shed/whatever-7b", USAGE_TABLE, 0 },
};

TEST(a_model_is_found_by_its_longest_prefix)
{
	struct prices p;
	open_table(&p);
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		struct usage u = one_request(1000, 100);
		const struct price_query q = { names[i].provider, names[i].model, "2026-11-30" };
		prices_apply(&p, &q, &u);
		printf("# %s %s: %s %.9g\n", q.provider ? q.provider : "-", q.model ? q.model : "-",
		       usage_basis_name(u.basis), u.usd);
		CHECK_INT(u.basis, names[i].basis);
		CHECK(NEAR(u.usd, names[i].usd));
	}
	prices_release(&p);
}

TEST(the_newest_price_in_force_holds)
{
	static const struct {
		const char *date;
		double usd;
	} days[] = { { "2026-10-06", 0.006 },
		     { "2026-10-07", 0.003 },
		     { "2026-12-31T23:59:59.999Z", 0.003 },
		     { "2027-01-01T00:00:00.000Z", 0.0015 } };
	struct prices p;
	open_table(&p);
	for (size_t i = 0; i < ARRAY_LEN(days); i++) {
		struct usage u = one_request(1000, 100);
		const struct price_query q = { "acme", "duck-5", days[i].date };
		prices_apply(&p, &q, &u);
		CHECK(NEAR(u.usd, days[i].usd));
	}
	prices_release(&p);
}

TEST(the_tier_goes_by_the_whole_prompt)
{
	struct prices p;
	open_table(&p);
	const struct price_query q = { "acme", "duck-5-mini", "2026-11-30" };
	struct usage u = one_request(1000, 0);
	prices_apply(&p, &q, &u);
	CHECK(NEAR(u.usd, 0.0001));
	u = one_request(1, 0);
	u.cache_read = 1000;
	prices_apply(&p, &q, &u);
	CHECK_INT(u.basis, USAGE_TABLE);
	CHECK(NEAR(u.usd, (0.5 + 1000 * 0.05) / 1e6));
	u = one_request(5001, 10);
	prices_apply(&p, &q, &u);
	CHECK_INT(u.basis, USAGE_PARTIAL);
	CHECK(u.usd == 0);
	prices_release(&p);
}

TEST(what_sums_up_requests_is_taken_at_the_dearest_tier)
{
	struct prices p;
	open_table(&p);
	const struct price_query q = { "acme", "duck-5-mini", "2026-11-30" };
	struct usage u = one_request(900, 100);
	u.requests = 3;
	prices_apply(&p, &q, &u);
	CHECK_INT(u.basis, USAGE_TABLE); /* no request can have reached the second */
	u = one_request(2000, 100);
	u.requests = 3;
	prices_apply(&p, &q, &u);
	CHECK_INT(u.basis, USAGE_PARTIAL);
	CHECK(NEAR(u.usd, (2000 * 0.5 + 100 * 2.5) / 1e6));
	prices_release(&p);
}

TEST(a_count_without_a_price_makes_the_cost_partial)
{
	struct prices p;
	open_table(&p);
	const struct price_query q = { "acme", "duck-5-mini", "2026-11-30" };
	struct usage u = one_request(100, 10);
	u.cache_write_5m = 1;
	prices_apply(&p, &q, &u);
	CHECK_INT(u.basis, USAGE_PARTIAL);
	CHECK(NEAR(u.usd, 0.000015));
	prices_release(&p);
}

TEST(tokens_of_no_told_kind_have_no_price)
{
	struct prices p;
	open_table(&p);
	struct usage u = usage_unknown();
	u.tokens = 1000;
	const struct price_query dear = { "acme", "duck-5", "2026-11-30" };
	prices_apply(&p, &dear, &u);
	CHECK_INT(u.basis, USAGE_PARTIAL);
	u = usage_unknown();
	const struct price_query nothing = { "shed", "x", "2026-11-30" };
	prices_apply(&p, &nothing, &u);
	CHECK_INT(u.basis, USAGE_TABLE);
	prices_release(&p);
}

TEST(what_was_reported_stays)
{
	struct prices p;
	open_table(&p);
	struct usage u = one_request(1000, 100);
	u.usd = 7;
	u.basis = USAGE_REPORTED;
	const struct price_query q = { "acme", "duck-5", "2026-11-30" };
	prices_apply(&p, &q, &u);
	CHECK(u.usd == 7);
	CHECK_INT(u.basis, USAGE_REPORTED);
	prices_release(&p);
}

TEST(the_users_own_rows_go_first)
{
	struct prices p;
	struct err e = { 0 };
	open_table(&p);
	CHECK_TEXT(p.text, "2026-11-30");
	CHECK_OK(prices_parse(&p, own, "own.tsv", true, &e));
	CHECK_TEXT(p.text, "2026-11-30, own prices of 2026-12-01");
	struct usage u = one_request(1000, 100);
	const struct price_query q = { "acme", "duck-5", "2026-11-30" };
	prices_apply(&p, &q, &u);
	CHECK(NEAR(u.usd, 0.11));
	u = one_request(1000, 100);
	const struct price_query other = { "other", "goose", "2026-11-30" };
	prices_apply(&p, &other, &u);
	CHECK(NEAR(u.usd, 0.0022));
	prices_release(&p);
}

/* A slip in the table, and what the message says. */
static const struct {
	const char *text;
	const char *message;
} slips[] = {
	{ "", "no line \"# date: YYYY-MM-DD\"" },
	{ "# date: today\n", "no line \"# date" },
	{ "# date: 2026-11-30\n0000-00-00\ta\tb\t0\t1\t1\t1\t1\n", "t:2: 8 columns" },
	{ "# date: 2026-11-30\n0000-00-00 a b 0 1 1 1 1 1\n", "t:2: 1 columns" },
	{ "# date: 2026-11-30\nnow\ta\tb\t0\t1\t1\t1\t1\t1\n", "effective_from is \"now\"" },
	{ "# date: 2026-11-30\n2026-11-30x\ta\tb\t0\t1\t1\t1\t1\t1\n", "effective_from is" },
	{ "# date: 2026-11-30\n0000-00-00\ta\tb\t-1\t1\t1\t1\t1\t1\n", "min_prompt_tokens is" },
	{ "# date: 2026-11-30\n0000-00-00\ta\tb\t0\tx\t1\t1\t1\t1\n", "a price is \"x\"" },
	{ "# date: 2026-11-30\n0000-00-00\ta\tb\t0\t-1\t1\t1\t1\t1\n", "a price is \"-1\"" },
	{ "# date: 2026-11-30\n0000-00-00\ta\tb\t0\tnan\t1\t1\t1\t1\n", "a price is \"nan\"" },
	{ "# date: 2026-11-30\n0000-00-00\ta\tb\t0\t1e9\t1\t1\t1\t1\n", "a price is \"1e9\"" },
};

TEST(a_slip_in_the_table_is_named_with_its_line)
{
	for (size_t i = 0; i < ARRAY_LEN(slips); i++) {
		struct prices p = { 0 };
		struct err e = { 0 };
		CHECK_INT(prices_parse(&p, slips[i].text, "t", false, &e), -1);
		printf("# %s\n", e.text);
		CHECK(strstr(e.text, slips[i].message));
		prices_release(&p);
	}
}

TEST(the_table_that_comes_along_can_be_read)
{
	struct prices p = { 0 };
	struct err e = { 0 };
	CHECK_OK(prices_load(&p, "share/prices.tsv", false, &e));
	CHECK(p.nr > 10);
	CHECK_INT(strlen(p.text), 10);
	prices_release(&p);
}

TEST_MAIN()
