#include <math.h>

#include "bundle.h"

/* What does not run the candidate in pairs: a look at the reference, and a leaderboard's number. */

static struct bundle inspect_bundle(const char *ask)
{
	struct bundle b = bundle_make(JOB_INSPECT, NULL);
	put(&b, "ask.json", ask);
	return b;
}

static json_t *inspection_of(const struct bundle *b, struct result *r)
{
	CHECK_INT(bundle_run(b, NULL), 0);
	bundle_answer(b, r);
	CHECK_INT(r->verdict.state, VERDICT_NONE);
	json_t *answer = json_object_get(r->doc, "inspection");
	CHECK(json_is_object(answer));
	return answer;
}

TEST(a_reference_is_run_on_inputs_of_the_askers_choice)
{
	struct bundle b = inspect_bundle(
		"{\"shape\":\"plain\",\"inputs\":{\"x\":{\"kind\":\"constant\",\"value\":2},"
		"\"w\":{\"kind\":\"constant\",\"value\":3}}}");
	AUTO_RESULT struct result r = { 0 };
	json_t *answer = inspection_of(&b, &r);
	const json_t *y = json_array_get(json_object_get(answer, "outputs"), 0);
	CHECK_TEXT(json_text_or(y, "output", ""), "y");
	/* x * w + mean(x) + bias */
	double want = 2 * 3 + 2 + 0.5;
	CHECK(fabs(json_real_or(y, "min", 0) - want) < 1e-5);
	CHECK(fabs(json_real_or(y, "max", 0) - want) < 1e-5);
	CHECK(fabs(json_real_or(y, "mean", 0) - want) < 1e-5);
	CHECK(fabs(json_real_or(y, "rms", 0) - want) < 1e-5);
	CHECK_INT(json_int_or(y, "zeros", -1), 0);
	CHECK_INT(json_int_or(y, "nan", -1), 0);
	CHECK_INT(json_int_or(y, "unwritten", -1), 0);
	CHECK(json_bool_or(answer, "repeatable", false));
	CHECK(json_int_or(answer, "warm_call_ns", 0) > 0);
	bundle_remove(&b);
}

TEST(what_is_not_finite_is_counted_and_left_out_of_the_range)
{
	struct bundle b = inspect_bundle(
		"{\"shape\":\"plain\",\"inputs\":{\"w\":{\"kind\":\"specials\",\"std\":1,"
		"\"rate\":1,\"values\":[\"inf\"]},\"x\":{\"kind\":\"constant\",\"value\":0}}}");
	AUTO_RESULT struct result r = { 0 };
	const json_t *y = json_array_get(json_object_get(inspection_of(&b, &r), "outputs"), 0);
	CHECK_INT(json_int_or(y, "nan", -1), json_int_or(y, "elements", -2));
	CHECK(!json_object_get(y, "min"));
	bundle_remove(&b);
}

TEST(a_question_without_an_answer_says_why)
{
	static const struct {
		const char *ask;
		const char *says;
	} rows[] = {
		{ "{\"shape\":\"nowhere\"}", "there is no shape \"nowhere\"" },
		{ "{\"shape\":\"held\"}", "there is no shape \"held\"" },
		{ "{\"shape\":\"plain\",\"inputs\":{\"y\":{\"kind\":\"normal\"}}}",
		  "there is no input \"y\"" },
		{ "{\"shape\":\"plain\",\"inputs\":{\"bias\":{\"kind\":\"normal\"}}}",
		  "there is no input \"bias\"" },
		{ "{\"shape\":\"plain\",\"inputs\":{\"x\":{\"kind\":\"magic\"}}}", "magic" },
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct bundle b = inspect_bundle(rows[i].ask);
		AUTO_RESULT struct result r = { 0 };
		const json_t *answer = inspection_of(&b, &r);
		CHECK(strstr(json_text_or(answer, "refused", ""), rows[i].says));
		bundle_remove(&b);
	}
}

TEST(a_listing_of_the_reference_goes_on_where_it_is_told)
{
	struct bundle b = inspect_bundle("{\"from\":0}");
	struct bundle rest = inspect_bundle("{\"from\":5}");
	AUTO_RESULT struct result r = { 0 };
	AUTO_RESULT struct result again = { 0 };
	const json_t *all = inspection_of(&b, &r);
	const json_t *tail = inspection_of(&rest, &again);
	const char *text = json_text_or(all, "listing", "");
	CHECK(str_starts(text, "f0:\n"));
	CHECK(!strstr(text, "blend"));
	CHECK(json_int_or(all, "instructions", 0) > 5);
	CHECK_INT(json_int_or(all, "next", 0), json_int_or(all, "instructions", -1));
	CHECK(strstr(text, json_text_or(tail, "listing", "?")));
	bundle_remove(&b);
	bundle_remove(&rest);
}

/* The blend task as a leaderboard's; tolerances as its calibration makes them. */
static struct bundle board_bundle(const char *source, const char *operands)
{
	struct err e = { 0 };
	struct bundle b = bundle_make(JOB_CALIBRATE, source);
	AUTO_FREE char *rules = xasprintf(
		"build = \"gcc -O2\"\n[[leaderboard.tolerance]]\noutput = \"y\"\nrtol = 1e-3\n"
		"atol = 1e-3\n[leaderboard.timing]\noperands = \"%s\"\nwarmups = 1\nrepeats = "
		"5\nstatistic = \"min\"\nacross = \"geomean\"\n",
		operands);
	bundle_edit(&b, "task/task.toml", "[reference]",
		    "[leaderboard]\nname = \"b\"\norigin = \"o\"");
	bundle_edit(&b, "task/task.toml", "build = \"gcc -O2\"\n", rules);
	AUTO_FREE char *judge = path_join(b.dir, "task/judge");
	CHECK_OK(tree_remove(judge, &e));
	return b;
}

static void check_board(const char *operands)
{
	struct bundle b = board_bundle(BLEND_RIGHT, operands);
	AUTO_RESULT struct result calibrated = { 0 };
	AUTO_RESULT struct result r = { 0 };
	CHECK_INT(bundle_run(&b, NULL), 0);
	bundle_answer(&b, &calibrated);
	b.job.kind = JOB_TIME;
	b.job.with_origin = true;
	CHECK_INT(bundle_run(&b, NULL), 0);
	bundle_answer(&b, &r);
	CHECK_INT(r.verdict.state, VERDICT_PASS);
	const json_t *origin = json_object_get(r.doc, "origin");
	AUTO_FREE char *rule =
		xasprintf("%s operands, 1 call first, min of 5, geomean over shapes", operands);
	CHECK_TEXT(json_text_or(origin, "rule", ""), rule);
	CHECK_INT(json_array_size(json_object_get(origin, "shapes")), r.nr_shapes);
	CHECK(json_real_or(origin, "reference_ns", 0) > 0);
	CHECK(json_real_or(origin, "candidate_ns", 0) > 0);
	CHECK(r.nr_samples > 0);
	bundle_remove(&b);
}

TEST(a_leaderboards_number_is_measured_beside_the_paired_one)
{
	check_board("warm");
	check_board("cold");
}

TEST(a_leaderboards_tolerance_decides_and_the_reference_is_what_is_expected)
{
	static const struct {
		const char *factor;
		enum verdict_state state;
	} rows[] = { { "1.0005f", VERDICT_PASS }, { "1.01f", VERDICT_FAIL } };
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO_FREE char *source = xasprintf(
			"%sfor (int64_t r = 0; r < rows; r++) {\n%s"
			"for (int64_t c = 0; c < cols; c++) y[r * cols + c] *= %s;\n}\n}\n",
			BLEND_HEAD, BLEND_ROW, rows[i].factor);
		struct bundle b = board_bundle(source, "warm");
		AUTO_RESULT struct result calibrated = { 0 };
		AUTO_RESULT struct result r = { 0 };
		CHECK_INT(bundle_run(&b, NULL), 0);
		bundle_answer(&b, &calibrated);
		b.job.kind = JOB_JUDGE;
		CHECK_INT(bundle_run(&b, NULL), 0);
		bundle_answer(&b, &r);
		CHECK_INT(r.verdict.state, rows[i].state);
		CHECK(r.cases[0].tolerance == 1);
		bundle_remove(&b);
	}
}

TEST_MAIN()
