#include "report/comparison.h"

#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "store/eventlog.h"
#include "test.h"

/* Made-up runs: their events, and what may be said of them. */

struct made {
	const char *name; /* of the folder */
	const char *task;
	bool is_control;
	int seed;
	double speedup; /* 0: nothing confirmed */
	double spread;  /* [speedup / spread, speedup * spread] */
	double hours;   /* 0: 1 */
};

static char *dir;

static void add(struct eventlog *log, enum event_type type, json_t *body)
{
	struct err e = { 0 };
	CHECK(body);
	CHECK_OK(eventlog_add(log, type, body, &e));
}

static json_t *estimate(const struct made *m)
{
	return json_pack("{s:s, s:i, s:f, s:f, s:f, s:f, s:[]}", "call", "faster", "replicates", 16,
			 "speedup", m->speedup, "low", m->speedup / m->spread, "high",
			 m->speedup * m->spread, "confidence", 0.99997, "shapes");
}

static void add_events(struct eventlog *log, const struct made *m)
{
	json_t *body =
		json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:f, s:f, s:i, s:i, s:i, s:i}",
			  "task", m->task, "language", "c", "forge", "0.1.0", "teacher", "tuner",
			  "student", "tuner", "started_from", "reference", "reference_mode",
			  "source", "hours", m->hours > 0 ? m->hours : 1.0, "usd", 1.0, "tokens", 1,
			  "max_meta", 1, "stall", 1, "seed", m->seed);
	if (m->is_control)
		json_object_set_new(body, "arm", json_string("control"));
	add(log, EVENT_run_created, body);
	add(log, EVENT_judge_promoted,
	    json_pack("{s:s, s:b, s:s}", "author", "task", "independent", 1, "source", "j"));
	add(log, EVENT_judge_frozen,
	    json_pack("{s:s, s:s, s:s}", "task", m->task, "check", "c", "reference", "r"));
	bool has_claim = m->speedup > 0;
	const struct verdict pass = verdict_make(REASON_ok, "%s", "");
	add(log, EVENT_confirm_done,
	    json_pack("{s:b, s:b, s:b, s:i, s:s, s:o*, s:o*}", "has_best", has_claim, "confirmed",
		      has_claim, "goal_met", 0, "round", 0, "text", "as told", "verdict",
		      has_claim ? verdict_to_json(&pass) : NULL, "estimate",
		      has_claim ? estimate(m) : NULL));
}

static char *make(const struct made *m)
{
	struct err e = { 0 };
	AUTO_FREE char *run = path_join(dir, m->name);
	AUTO_FREE char *path = path_join(run, "events.jsonl");
	CHECK_OK(dir_make(run, &e));
	AUTO_EVENTLOG struct eventlog *log = eventlog_open(path, NULL, NULL, &e);
	CHECK(log);
	add_events(log, m);
	return take_ptr(&run);
}

static int load_all(struct compare *c, const struct made *runs, size_t nr, struct strv *dirs,
		    struct err *e)
{
	char place[] = "/tmp/forge-compare-XXXXXX";
	CHECK(mkdtemp(place));
	dir = place;
	for (size_t i = 0; i < nr; i++) {
		AUTO_FREE char *run = make(&runs[i]);
		strv_add(dirs, run);
	}
	int rc = compare_load(c, (const char *const *)dirs->items, dirs->nr, e);
	struct err ignored = { 0 };
	tree_remove(place, &ignored);
	return rc;
}

/* The text of a comparison. */
static void compare(const struct made *runs, size_t nr, struct compare *c, struct strv *dirs,
		    struct str *out)
{
	struct err e = { 0 };
	CHECK_OK(load_all(c, runs, nr, dirs, &e));
	compare_conclude(c);
	compare_text(c, out);
	printf("# %s\n", strrchr(out->text, '\n') ? out->text : "");
}

#define COMPARE(runs)                                                                              \
	AUTO_COMPARE struct compare c = { 0 };                                                     \
	AUTO_STRV struct strv dirs = { 0 };                                                        \
	AUTO_STR struct str text = STR_INIT;                                                       \
	compare((runs), ARRAY_LEN(runs), &c, &dirs, &text)

TEST(one_pair_speaks_of_itself_only)
{
	const struct made runs[] = {
		{ .name = "h", .task = "a", .seed = 1, .speedup = 3, .spread = 1.05 },
		{ .name = "c",
		  .task = "a",
		  .seed = 1,
		  .speedup = 2,
		  .spread = 1.05,
		  .is_control = 1 },
	};
	COMPARE(runs);
	CHECK_INT(c.nr_pairs, 1);
	CHECK(c.pairs[0].ratio > 1.49 && c.pairs[0].ratio < 1.51);
	/* Both ends of both intervals. */
	CHECK(c.pairs[0].low > 1.36 - 0.01 && c.pairs[0].low < 1.37);
	CHECK(c.pairs[0].high > 1.65 && c.pairs[0].high < 1.66);
	CHECK(strstr(text.text, "In this pair the harness's kernel is the faster"));
	CHECK(strstr(text.text, "is open"));
	CHECK(!strstr(text.text, "earned its keep:"));
}

TEST(intervals_that_overlap_show_no_difference)
{
	const struct made runs[] = {
		{ .name = "h", .task = "a", .seed = 1, .speedup = 2.1, .spread = 1.1 },
		{ .name = "c",
		  .task = "a",
		  .seed = 1,
		  .speedup = 2,
		  .spread = 1.1,
		  .is_control = 1 },
	};
	COMPARE(runs);
	CHECK(strstr(text.text, "no difference is shown"));
}

TEST(a_run_that_confirmed_nothing_counts_as_the_reference)
{
	const struct made runs[] = {
		{ .name = "h", .task = "a", .seed = 1 },
		{ .name = "c",
		  .task = "a",
		  .seed = 1,
		  .speedup = 2,
		  .spread = 1.1,
		  .is_control = 1 },
	};
	COMPARE(runs);
	CHECK(c.pairs[0].ratio == 0.5);
	CHECK(strstr(text.text, "the control arm's kernel is the faster, 2.000×"));
	CHECK(strstr(text.text, "nothing confirmed"));
}

/* Pairs of one task with the given gains of the harness, in percent. */
static void make_pairs(struct made *runs, const int *gains, size_t nr, bool over_tasks)
{
	static const char *const names[] = { "a", "b", "c", "d", "e", "f", "g", "h" };
	static const char *const controls[] = { "ac", "bc", "cc", "dc", "ec", "fc", "gc", "hc" };
	for (size_t i = 0; i < nr; i++) {
		const char *task = over_tasks ? names[i] : "task";
		runs[2 * i] = (struct made){ .name = names[i],
					     .task = task,
					     .seed = (int)i + 1,
					     .speedup = 2 * (1 + 0.01 * gains[i]),
					     .spread = 1.01 };
		runs[2 * i + 1] = (struct made){ .name = controls[i],
						 .task = task,
						 .seed = (int)i + 1,
						 .speedup = 2,
						 .spread = 1.01,
						 .is_control = true };
	}
}

TEST(five_pairs_are_too_few_and_six_decide)
{
	static const int gains[] = { 10, 20, 15, 30, 12, 11 };
	struct made runs[12];
	make_pairs(runs, gains, 6, false);
	{
		AUTO_COMPARE struct compare c = { 0 };
		AUTO_STRV struct strv dirs = { 0 };
		AUTO_STR struct str text = STR_INIT;
		compare(runs, 10, &c, &dirs, &text);
		CHECK(!c.total.is_decided);
		CHECK(strstr(text.text, "too few for 95 %"));
	}
	COMPARE(runs);
	CHECK(c.total.is_decided);
	CHECK_INT(c.total.nr, 6);
	CHECK(c.total.confidence > 0.95);
	CHECK(c.total.low > 1.09 && c.total.high < 1.31);
	CHECK(strstr(text.text, "The harness earned its keep"));
}

TEST(six_pairs_on_both_sides_of_one_show_no_difference)
{
	static const int gains[] = { 10, -5, 15, 30, -12, 11 };
	struct made runs[12];
	make_pairs(runs, gains, 6, false);
	COMPARE(runs);
	CHECK(c.total.is_decided);
	CHECK(strstr(text.text, "No difference is shown"));
	CHECK(!strstr(text.text, "earned its keep:"));
}

TEST(a_harness_that_loses_is_told_so)
{
	static const int gains[] = { -10, -5, -15, -30, -12, -11 };
	struct made runs[12];
	make_pairs(runs, gains, 6, false);
	COMPARE(runs);
	CHECK(strstr(text.text, "The harness did not earn its keep"));
}

TEST(over_tasks_a_task_counts_once)
{
	static const int gains[] = { 10, 20, 15, 30, 12, 11 };
	struct made runs[14];
	make_pairs(runs, gains, 6, true);
	runs[12] = runs[0];
	runs[13] = runs[1];
	runs[12].name = "again";
	runs[13].name = "againc";
	runs[12].seed = runs[13].seed = 77;
	COMPARE(runs);
	CHECK_INT(c.nr_pairs, 7);
	CHECK_INT(c.total.nr, 6);
	CHECK(c.total.is_over_tasks);
	CHECK(strstr(text.text, "over 6 tasks"));
}

TEST(pairs_are_made_by_seed_then_in_order)
{
	const struct made runs[] = {
		{ .name = "h1", .task = "a", .seed = 1, .speedup = 3, .spread = 1.1 },
		{ .name = "h2", .task = "a", .seed = 2, .speedup = 3, .spread = 1.1 },
		{ .name = "c2",
		  .task = "a",
		  .seed = 2,
		  .speedup = 2,
		  .spread = 1.1,
		  .is_control = 1 },
		{ .name = "c9",
		  .task = "a",
		  .seed = 9,
		  .speedup = 2,
		  .spread = 1.1,
		  .is_control = 1 },
	};
	COMPARE(runs);
	CHECK_INT(c.nr_pairs, 2);
	CHECK_TEXT(path_base(c.pairs[0].harness->dir), "h2");
	CHECK_TEXT(path_base(c.pairs[0].control->dir), "c2");
	CHECK_TEXT(path_base(c.pairs[1].control->dir), "c9");
}

TEST(runs_that_differ_in_budget_or_have_no_partner_are_left_out_and_named)
{
	const struct made runs[] = {
		{ .name = "h", .task = "a", .seed = 1, .speedup = 3, .spread = 1.1, .hours = 2 },
		{ .name = "c",
		  .task = "a",
		  .seed = 1,
		  .speedup = 2,
		  .spread = 1.1,
		  .is_control = 1 },
		{ .name = "x", .task = "b", .seed = 1, .speedup = 2, .spread = 1.1 },
	};
	COMPARE(runs);
	CHECK_INT(c.nr_pairs, 0);
	CHECK(strstr(text.text, "/h: another time budget than its control arm"));
	CHECK(strstr(text.text, "/x: no control arm of task b"));
	CHECK(strstr(text.text, "/c: no run of task a"));
	CHECK(strstr(text.text, "Nothing to compare"));
}

TEST(a_direct_measurement_takes_the_place_of_the_detour)
{
	const struct made runs[] = {
		{ .name = "h", .task = "a", .seed = 1, .speedup = 3, .spread = 1.1 },
		{ .name = "c",
		  .task = "a",
		  .seed = 1,
		  .speedup = 2,
		  .spread = 1.1,
		  .is_control = 1 },
	};
	const struct state_estimate est = {
		.call = "faster", .speedup = 1.4, .low = 1.38, .high = 1.43, .confidence = 0.99997
	};
	COMPARE(runs);
	compare_set_direct(&c.pairs[0], &est);
	compare_conclude(&c);
	str_clear(&text);
	compare_text(&c, &text);
	CHECK(strstr(text.text, "1.400× [1.380, 1.430]"));
	CHECK(strstr(text.text, "one job"));
}

TEST_MAIN()
