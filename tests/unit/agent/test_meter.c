#include "agent/meter.h"

#include "agent/agent.h"
#include "agent/agent_ops.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "model/prices.h"
#include "test.h"

/* Recorded turns through the real conversation; the driver is one that costs money, where it is not
 * said otherwise. */

static const char table[] = "# date: 2026-11-30\n"
			    "0000-00-00\tacme\tduck\t0\t10\t1\t2\t3\t100\n";

struct scene {
	char dir[48];
	struct agent_ops ops;
	struct agent_spec spec;
	struct prices prices;
	struct usage spent; /* what the budget was told */
	uint64_t max_tokens;
	uint64_t max_calls;
	unsigned nr_asked;
	unsigned nr_calls; /* that were answered */
};

static bool spend(void *ctx, const struct usage *more, struct str *why)
{
	struct scene *sc = ctx;
	bool is_over = more->tool_calls && sc->spent.tool_calls >= sc->max_calls;
	sc->nr_asked++;
	if (!is_over)
		usage_add(&sc->spent, more);
	if (!is_over && sc->spent.tokens < sc->max_tokens)
		return false;
	str_add(why, "enough is spent");
	return true;
}

static json_t *answer_call(void *ctx, const json_t *call)
{
	(void)call;
	((struct scene *)ctx)->nr_calls++;
	return json_pack("{s:s}", "outcome", "done");
}

static void scene_open(struct scene *sc)
{
	struct err e = { 0 };
	*sc = (struct scene){ .dir = "/tmp/forge-meter-XXXXXX",
			      .ops = agent_replay,
			      .max_tokens = 1000000,
			      .max_calls = 100 };
	CHECK(mkdtemp(sc->dir));
	CHECK_OK(prices_parse(&sc->prices, table, "t", false, &e));
	sc->ops.is_paid_elsewhere = false;
	sc->spec = (struct agent_spec){ .ops = &sc->ops,
					.role = AGENT_STUDENT,
					.record_dir = sc->dir,
					.deadline_s = 20,
					.call_tool = answer_call,
					.prices = &sc->prices,
					.spend = spend,
					.ctx = sc };
}

static void scene_close(struct scene *sc)
{
	struct err e = { 0 };
	CHECK_OK(tree_remove(sc->dir, &e));
	prices_release(&sc->prices);
}

static void ask(struct scene *sc, const char *lines, struct agent_answer *a)
{
	struct err e = { 0 };
	AUTO_FREE char *path = path_join(sc->dir, "student.jsonl");
	AUTO_FREE char *row = xasprintf("{\"lines\":[%s]}\n", lines);
	const struct agent_turn turn = { .id = 1, .kind = TURN_ROUND };
	CHECK_OK(file_write_text(path, row, &e));
	CHECK_OK(agent_ask(&sc->spec, &turn, a, &e));
}

#define SUBMIT "{\"type\":\"submit\",\"source\":\"int x;\"}"
#define DONE(usage) "{\"type\":\"done\",\"usage\":{" usage "}}"
#define USAGE(usage) "{\"type\":\"usage\"," usage "}"
#define TOOL "{\"type\":\"tool\",\"id\":1,\"tool\":\"build\",\"source\":\"int y;\"}"
#define TEN "\"requests\":1,\"input\":8,\"output\":2"

TEST(lines_of_usage_and_the_rest_in_done_are_summed)
{
	struct scene sc;
	scene_open(&sc);
	AUTO_AGENT_ANSWER struct agent_answer a = { 0 };
	ask(&sc, USAGE(TEN) "," USAGE(TEN) "," SUBMIT "," DONE(TEN), &a);
	CHECK_INT(a.kind, ANSWER_SUBMIT);
	CHECK_INT(a.usage.requests, 3);
	CHECK_INT(a.usage.tokens, 30);
	CHECK(usage_is_told(&a.usage, USAGE_TOKENS));
	CHECK_INT(sc.nr_asked, 2);
	scene_close(&sc);
}

TEST(a_done_line_may_tell_the_whole_turn_instead)
{
	struct scene sc;
	scene_open(&sc);
	AUTO_AGENT_ANSWER struct agent_answer a = { 0 };
	ask(&sc,
	    USAGE(TEN) "," TOOL "," SUBMIT "," DONE(
		    "\"whole\":true,\"requests\":2,\"input\":20,\"output\":5,\"usd\":0.5"),
	    &a);
	CHECK_INT(a.usage.requests, 2);
	CHECK_INT(a.usage.tokens, 25);
	CHECK_INT(a.usage.tool_calls, 1);
	CHECK_INT(a.usage.basis, USAGE_REPORTED);
	CHECK(a.usage.usd == 0.5);
	scene_close(&sc);
}

TEST(each_request_is_priced_where_the_agent_tells_no_dollars)
{
	struct scene sc;
	scene_open(&sc);
	AUTO_AGENT_ANSWER struct agent_answer a = { 0 };
	ask(&sc,
	    USAGE(TEN ",\"model\":\"duck-20260801\",\"provider\":\"acme\"") "," SUBMIT
									    "," DONE(TEN),
	    &a);
	CHECK_TEXT(a.model, "duck-20260801");
	CHECK_TEXT(a.provider, "acme");
	CHECK_INT(a.usage.basis, USAGE_TABLE);
	CHECK(a.usage.usd > 0.000559 && a.usage.usd < 0.000561);
	scene_close(&sc);
}

TEST(a_model_without_a_price_costs_an_unknown_amount)
{
	struct scene sc;
	scene_open(&sc);
	AUTO_AGENT_ANSWER struct agent_answer a = { 0 };
	ask(&sc, SUBMIT "," DONE(TEN ",\"model\":\"swan\""), &a);
	CHECK_INT(a.usage.basis, USAGE_UNKNOWN);
	CHECK_INT(a.usage.tokens, 10);
	scene_close(&sc);
}

TEST(a_turn_that_tells_nothing_is_unknown_and_not_zero)
{
	struct scene sc;
	scene_open(&sc);
	AUTO_AGENT_ANSWER struct agent_answer a = { 0 };
	ask(&sc, TOOL "," SUBMIT ",{\"type\":\"done\"}", &a);
	CHECK_INT(a.kind, ANSWER_SUBMIT);
	CHECK(!usage_is_told(&a.usage, USAGE_REQUESTS));
	CHECK(!usage_is_told(&a.usage, USAGE_TOKENS));
	CHECK(usage_is_open(&a.usage));
	CHECK(usage_is_told(&a.usage, USAGE_TOOL_CALLS));
	CHECK_INT(a.usage.tool_calls, 1);
	scene_close(&sc);
}

TEST(a_record_that_tells_nothing_costs_nothing)
{
	struct scene sc;
	scene_open(&sc);
	sc.ops.is_paid_elsewhere = true;
	AUTO_AGENT_ANSWER struct agent_answer a = { 0 };
	ask(&sc, SUBMIT ",{\"type\":\"done\"}", &a);
	CHECK(usage_is_free(&a.usage));
	scene_close(&sc);
}

TEST(a_free_agent_that_tells_nothing_costs_nothing)
{
	struct scene sc;
	scene_open(&sc);
	sc.ops.is_free = true;
	AUTO_AGENT_ANSWER struct agent_answer a = { 0 };
	ask(&sc, TOOL "," SUBMIT ",{\"type\":\"done\"}", &a);
	CHECK(usage_is_free(&a.usage));
	CHECK_INT(a.usage.tool_calls, 1);
	scene_close(&sc);
}

TEST(a_turn_that_ends_in_the_middle_used_at_least_what_it_told)
{
	struct scene sc;
	scene_open(&sc);
	AUTO_AGENT_ANSWER struct agent_answer a = { 0 };
	ask(&sc, USAGE(TEN ",\"usd\":0.25"), &a);
	CHECK_INT(a.kind, ANSWER_ERROR);
	CHECK_INT(a.usage.tokens, 10);
	CHECK(!usage_is_told(&a.usage, USAGE_TOKENS));
	CHECK_INT(a.usage.basis, USAGE_PARTIAL);
	CHECK(a.usage.usd == 0.25);
	scene_close(&sc);
}

TEST(the_call_that_passes_a_budget_is_the_last_one)
{
	struct scene sc;
	scene_open(&sc);
	sc.max_tokens = 15;
	AUTO_AGENT_ANSWER struct agent_answer a = { 0 };
	ask(&sc,
	    USAGE(TEN) "," TOOL "," USAGE(TEN) "," TOOL "," USAGE(TEN) "," SUBMIT ","
								       "{\"type\":\"done\"}",
	    &a);
	CHECK_INT(a.kind, ANSWER_ERROR);
	CHECK_TEXT(a.text, "enough is spent");
	CHECK_INT(sc.nr_calls, 1);
	CHECK_INT(a.usage.tokens, 20);
	scene_close(&sc);
}

TEST(an_answer_that_the_last_call_bought_is_taken)
{
	struct scene sc;
	scene_open(&sc);
	sc.max_tokens = 15;
	AUTO_AGENT_ANSWER struct agent_answer a = { 0 };
	ask(&sc, USAGE(TEN) "," TOOL "," USAGE(TEN) "," SUBMIT ",{\"type\":\"done\"}", &a);
	CHECK_INT(a.kind, ANSWER_SUBMIT);
	CHECK_INT(a.usage.tokens, 20);
	scene_close(&sc);
}

TEST(an_answer_that_was_given_before_the_budget_ended_stands)
{
	struct scene sc;
	scene_open(&sc);
	sc.max_tokens = 15;
	AUTO_AGENT_ANSWER struct agent_answer a = { 0 };
	ask(&sc, SUBMIT "," USAGE(TEN) "," USAGE(TEN) ",{\"sleep_s\":30}", &a);
	CHECK_INT(a.kind, ANSWER_SUBMIT);
	CHECK(a.seconds < 15);
	scene_close(&sc);
}

TEST(after_the_last_call_nobody_waits_for_long_and_no_repair_is_asked)
{
	struct scene sc;
	scene_open(&sc);
	sc.max_tokens = 5;
	AUTO_AGENT_ANSWER struct agent_answer a = { 0 };
	ask(&sc, USAGE(TEN) ",{\"sleep_s\":300}", &a);
	CHECK_INT(a.kind, ANSWER_ERROR);
	CHECK_TEXT(a.text, "enough is spent");
	AUTO_AGENT_ANSWER struct agent_answer b = { 0 };
	ask(&sc, USAGE(TEN) ",\"{torn\"," SUBMIT ",{\"type\":\"done\"}", &b);
	CHECK_INT(b.kind, ANSWER_ERROR);
	CHECK_INT(b.nr_repairs, 0);
	scene_close(&sc);
}

TEST(a_tool_call_beyond_the_budget_is_not_made)
{
	struct scene sc;
	scene_open(&sc);
	sc.max_calls = 2;
	AUTO_AGENT_ANSWER struct agent_answer a = { 0 };
	ask(&sc, TOOL "," TOOL "," TOOL "," SUBMIT ",{\"type\":\"done\"}", &a);
	CHECK_INT(a.kind, ANSWER_ERROR);
	CHECK_INT(sc.nr_calls, 2);
	CHECK_INT(a.usage.tool_calls, 2);
	scene_close(&sc);
}

static json_t *tell_left(void *ctx)
{
	(void)ctx;
	return json_pack("{s:i, s:f}", "requests", 3, "usd", 0.5);
}

/* What the model is told with the answers to its calls, a line each. */
static void told(struct scene *sc, const char *lines, struct str *out)
{
	struct err e = { 0 };
	AUTO_FREE char *path = path_join(sc->dir, "t.jsonl");
	AUTO_STR struct str text = STR_INIT;
	AUTO_STRV struct strv rows = { 0 };
	AUTO_AGENT_ANSWER struct agent_answer a = { 0 };
	sc->spec.transcript = path;
	ask(sc, lines, &a);
	sc->spec.transcript = NULL;
	CHECK_OK(file_read(path, 1 << 20, &text, &e));
	strv_split(&rows, text.text, "\n");
	for (size_t i = 0; i < rows.nr; i++) {
		AUTO_JSON json_t *row =
			json_read_text(rows.items[i], strlen(rows.items[i]), "row", &e);
		const char *line = json_text_or(row, "line", "");
		if (str_equal(json_text_or(row, "dir", ""), "to") && strstr(line, "tool_result"))
			str_addf(out, "%s\n", line);
	}
}

TEST(a_model_is_told_what_is_left_with_every_answer_but_the_last)
{
	struct scene sc;
	AUTO_STR struct str text = STR_INIT;
	scene_open(&sc);
	sc.ops.thinks = true;
	sc.spec.tell_left = tell_left;
	told(&sc,
	     TOOL
	     "," TOOL
	     ",{\"type\":\"tool\",\"id\":9,\"tool\":\"submit\",\"source\":\"int x;\"}," DONE(""),
	     &text);
	printf("# %s", text.text);
	const char *first = strstr(text.text, "\"budget_left\":{\"requests\":3,\"seconds\":1");
	CHECK(first && strstr(first + 1, "\"budget_left\":{\"requests\":3,\"seconds\":1"));
	const char *last = strstr(text.text, "accepted");
	CHECK(last && !strstr(last, "budget_left"));
	scene_close(&sc);
}

TEST(a_program_that_reads_no_such_thing_is_told_nothing)
{
	struct scene sc;
	AUTO_STR struct str text = STR_INIT;
	scene_open(&sc);
	sc.spec.tell_left = tell_left;
	told(&sc, TOOL "," SUBMIT "," DONE(""), &text);
	CHECK(strstr(text.text, "tool_result") && !strstr(text.text, "budget_left"));
	scene_close(&sc);
}

TEST(the_last_fifth_of_a_turns_time_is_told_in_words)
{
	struct scene sc;
	AUTO_STR struct str text = STR_INIT;
	scene_open(&sc);
	sc.ops.thinks = true;
	sc.spec.deadline_s = 4;
	told(&sc, TOOL ",{\"sleep_s\":3.3}," TOOL "," SUBMIT "," DONE(""), &text);
	const char *note = strstr(text.text, "little of the turn's time is left");
	CHECK(note && strstr(text.text, "budget_left") < note);
	CHECK(!strstr(note + 1, "little of the turn's time is left"));
	scene_close(&sc);
}

TEST_MAIN()
