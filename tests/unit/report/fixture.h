/*
 * A small made-up run for tests of the report layer: events through the real log, one result
 * through the real saver. The numbers are invented and say so by their roundness.
 */
#ifndef FORGE_TEST_REPORT_FIXTURE_H
#define FORGE_TEST_REPORT_FIXTURE_H

#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "model/result.h"
#include "store/eventlog.h"
#include "store/rundir.h"
#include "test.h"

struct fixture_event {
	enum event_type type;
	const char *body;
};

#define FIXTURE_ESTIMATE(purpose, job, k, call, mid, low, high)                                    \
	"{\"call\":\"" call "\",\"purpose\":\"" purpose "\",\"comparator\":\"the reference built " \
	"with gcc -O2\",\"job\":\"" job "\",\"replicates\":" k ",\"speedup\":" mid ",\"low\":" low \
	",\"high\":" high ",\"floor\":0.012,\"confidence\":0.992,"                                 \
	"\"contended\":false,\"shapes\":["                                                         \
	"{\"name\":\"1024x1024\",\"held_out\":false,\"call\":\"" call "\",\"speedup\":" mid        \
	",\"low\":" low ",\"high\":" high ",\"reference_ns\":800000,\"candidate_ns\":400000},"     \
	"{\"name\":\"odd<&>\",\"held_out\":false,\"call\":\"" call "\",\"speedup\":" mid           \
	",\"low\":" low ",\"high\":" high ",\"reference_ns\":500000,\"candidate_ns\":300000},"     \
	"{\"name\":\"held\",\"held_out\":true,\"call\":\"" call "\",\"speedup\":" mid              \
	",\"low\":" low ",\"high\":" high ",\"reference_ns\":90000,\"candidate_ns\":50000}]}"

#define FIXTURE_DECISION(id, what, value, needs)                                                   \
	"{\"id\":\"" id "\",\"what\":\"" what "\",\"value\":\"" value                              \
	"\",\"why\":\"the profile says so\",\"wrong_when\":\"time grows\",\"needs\":[" needs       \
	"],\"not_applicable\":false}"

#define FIXTURE_ROUND(number, id, milestone, what, value, base)                                    \
	"{\"round\":" number ",\"decision\":\"" id "\",\"milestone\":\"" milestone                 \
	"\",\"what\":\"" what "\",\"value\":\"" value "\",\"curriculum\":1,\"base\":" base         \
	",\"replay\":false}"

#define FIXTURE_HEX "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static const struct fixture_event fixture_events[] = {
	{ EVENT_run_created,
	  "{\"task\":\"rows<script>\",\"language\":\"c\",\"forge\":\"0.1.0\",\"teacher\":\"tuner\","
	  "\"student\":\"tuner\",\"started_from\":\"reference\",\"reference_mode\":\"source\","
	  "\"hours\":1.0,\"usd\":20.0,\"tokens\":5000000,\"max_meta\":3,\"stall\":4,\"seed\":7,"
	  "\"task_digest\":\"" FIXTURE_HEX "\"}" },
	{ EVENT_run_started, "{\"pid\":1,\"forge\":\"0.1.0\"}" },
	{ EVENT_stage_started, "{\"stage\":\"freeze\"}" },
	{ EVENT_machine_noted,
	  "{\"name\":\"test box\",\"lines\":[\"cpu Example 3000, 2 cores\"]}" },
	{ EVENT_machine_lack,
	  "{\"mechanism\":\"landlock\",\"cost\":\"files are kept away by namespaces alone\"}" },
	{ EVENT_stage_done, "{\"stage\":\"freeze\"}" },
	{ EVENT_stage_started, "{\"stage\":\"judge\"}" },
	{ EVENT_judge_promoted,
	  "{\"author\":\"teacher\",\"independent\":false,\"source\":\"" FIXTURE_HEX "\"}" },
	{ EVENT_calibrated,
	  "{\"job\":\"calibrate-1\",\"cases\":9,\"tolerances\":\"" FIXTURE_HEX "\"}" },
	{ EVENT_judge_frozen, "{\"task\":\"" FIXTURE_HEX "\",\"check\":\"" FIXTURE_HEX
			      "\",\"reference\":\"" FIXTURE_HEX "\"}" },
	{ EVENT_stage_done, "{\"stage\":\"judge\"}" },
	{ EVENT_stage_started, "{\"stage\":\"reference\"}" },
	{ EVENT_reference_timed,
	  "{\"job\":\"reference\",\"geomean_ns\":330000,\"estimate\":" FIXTURE_ESTIMATE(
		  "self", "reference", "8", "undecided", "1.0", "0.99", "1.01") "}" },
	{ EVENT_goal_set, "{\"ratio\":1.2,\"target_ns\":275000}" },
	{ EVENT_stage_done, "{\"stage\":\"reference\"}" },
	{ EVENT_stage_started, "{\"stage\":\"curriculum\"}" },
	{ EVENT_curriculum_published,
	  "{\"version\":1,\"epoch\":1,\"path\":\"curriculum/v1.toml\",\"digest\":\"" FIXTURE_HEX
	  "\",\"reason\":\"first\",\"after_round\":0,\"milestones\":[{\"id\":\"M0\",\"title\":"
	  "\"structure\",\"gate\":\"correctness\",\"decisions\":[" FIXTURE_DECISION(
		  "D0.1", "compiler and flags", "gcc -O3 -march=native",
		  "") "," FIXTURE_DECISION("D0.2", "loop order", "rows outside",
					   "\"D0.1\"") "]},"
						       "{\"id\":\"M1\",\"title\":\"inside the "
						       "loop\",\"gate\":\"correctness+performance+"
						       "mechanism\",\"decisions\":"
						       "[" FIXTURE_DECISION("D1.1", "vector width", "256", "\"D0.2\"") "," FIXTURE_DECISION(
							       "D1.2", "unroll", "4",
							       "\"D1.1\"") "," FIXTURE_DECISION("D1"
												"."
												"3",
												"th"
												"re"
												"ad"
												"s",
												"2",
												"\""
												"D0"
												".1"
												"\"") "]}]}" },
	{ EVENT_stage_done, "{\"stage\":\"curriculum\"}" },
	{ EVENT_stage_started, "{\"stage\":\"student\"}" },
	{ EVENT_round_started,
	  FIXTURE_ROUND("1", "D0.1", "M0", "compiler and flags", "gcc -O3 -march=native", "0") },
	{ EVENT_candidate_submitted, "{\"round\":1,\"source\":\"" FIXTURE_HEX "\",\"bytes\":900}" },
	{ EVENT_job_started,
	  "{\"job\":\"r1-decide\",\"kind\":\"time\",\"dir\":\"rounds/0001/decide\","
	  "\"purpose\":\"decide\"}" },
	{ EVENT_job_done, "{\"job\":\"r1-decide\",\"result\":\"" FIXTURE_HEX
			  "\",\"samples\":\"" FIXTURE_HEX "\",\"seconds\":9.5}" },
	{ EVENT_verdict_given, "{\"round\":1,\"job\":\"r1-decide\",\"verdict\":{\"state\":\"pass\","
			       "\"reason\":\"ok\",\"shape\":\"\",\"group\":\"\",\"output\":\"\","
			       "\"detail\":\"\"}}" },
	{ EVENT_trial_estimated,
	  "{\"round\":1,\"estimate\":" FIXTURE_ESTIMATE("decide", "r1-decide", "8", "faster", "1.3",
							"1.25", "1.34") "}" },
	{ EVENT_best_changed,
	  "{\"round\":1,\"decision\":\"D0.1\",\"source\":\"" FIXTURE_HEX
	  "\",\"estimate\":" FIXTURE_ESTIMATE("decide", "r1-decide", "8", "faster", "1.3", "1.25",
					      "1.34") "}" },
	{ EVENT_round_closed, "{\"round\":1,\"outcome\":\"kept\",\"fate\":\"best\"}" },
	{ EVENT_round_started,
	  FIXTURE_ROUND("2", "D0.2", "M0", "loop order", "rows outside", "1") },
	{ EVENT_candidate_submitted, "{\"round\":2,\"source\":\"" FIXTURE_HEX "\",\"bytes\":950}" },
	{ EVENT_verdict_given,
	  "{\"round\":2,\"job\":\"r2-screen\",\"verdict\":{\"state\":\"fail\",\"reason\":"
	  "\"wrong_slice\",\"shape\":\"odd<&>\",\"group\":\"normal\",\"output\":\"y\",\"detail\":"
	  "\"row 3 of 7 is off by 0.2 | tolerance 1e-6\"}}" },
	{ EVENT_round_closed,
	  "{\"round\":2,\"outcome\":\"rolled_back\",\"fate\":\"rolled_back\"}" },
	{ EVENT_gate_closed,
	  "{\"milestone\":\"M0\",\"curriculum\":1,\"result\":\"pass\",\"correctness\":\"pass\","
	  "\"performance\":\"none\",\"mechanism\":\"none\",\"text\":\"the base is correct\","
	  "\"mechanisms\":[{\"decision\":\"D0.1\",\"metric\":\"vector_bits\",\"direction\":\"up\","
	  "\"before\":128,\"after\":256,\"result\":\"pass\"}],\"evidence\":[\"r1-decide\"]}" },
	{ EVENT_round_started, FIXTURE_ROUND("3", "D1.1", "M1", "vector width", "256", "1") },
	{ EVENT_candidate_submitted,
	  "{\"round\":3,\"source\":\"" FIXTURE_HEX "\",\"bytes\":1200}" },
	{ EVENT_verdict_given, "{\"round\":3,\"job\":\"r3-screen\",\"verdict\":{\"state\":\"pass\","
			       "\"reason\":\"ok\",\"shape\":\"\",\"group\":\"\",\"output\":\"\","
			       "\"detail\":\"\"}}" },
	{ EVENT_trial_estimated,
	  "{\"round\":3,\"estimate\":" FIXTURE_ESTIMATE("screen", "r3-screen", "2", "faster",
							"1.82", "1.8", "1.84") "}" },
	{ EVENT_round_closed, "{\"round\":3,\"outcome\":\"kept\",\"fate\":\"kept\"}" },
	{ EVENT_round_started, FIXTURE_ROUND("4", "D1.2", "M1", "unroll", "4", "3") },
	{ EVENT_candidate_submitted,
	  "{\"round\":4,\"source\":\"" FIXTURE_HEX "\",\"bytes\":1300}" },
	{ EVENT_verdict_given, "{\"round\":4,\"job\":\"r4-screen\",\"verdict\":{\"state\":\"pass\","
			       "\"reason\":\"ok\",\"shape\":\"\",\"group\":\"\",\"output\":\"\","
			       "\"detail\":\"\"}}" },
	{ EVENT_trial_estimated,
	  "{\"round\":4,\"estimate\":" FIXTURE_ESTIMATE("screen", "r4-screen", "2", "slower",
							"0.93", "0.91", "0.95") "}" },
	{ EVENT_round_closed, "{\"round\":4,\"outcome\":\"kept\",\"fate\":\"kept_slower\"}" },
	{ EVENT_round_started, FIXTURE_ROUND("5", "D1.3", "M1", "threads", "2", "4") },
	{ EVENT_candidate_absent,
	  "{\"round\":5,\"kind\":\"give_up\",\"text\":\"no outermost loop that can be split\"}" },
	{ EVENT_round_closed,
	  "{\"round\":5,\"outcome\":\"no_candidate\",\"fate\":\"no_candidate\"}" },
	/* Round 3 closed with its screen only: the decision came when its milestone ended. */
	{ EVENT_trial_estimated,
	  "{\"round\":3,\"estimate\":" FIXTURE_ESTIMATE("decide", "r3-decide", "8", "faster", "1.8",
							"1.74", "1.86") "}" },
	{ EVENT_best_changed,
	  "{\"round\":3,\"decision\":\"D1.1\",\"source\":\"" FIXTURE_HEX
	  "\",\"estimate\":" FIXTURE_ESTIMATE("decide", "r3-decide", "8", "faster", "1.8", "1.74",
					      "1.86") "}" },
	{ EVENT_round_decided,
	  "{\"round\":3,\"outcome\":\"kept\",\"fate\":\"best\",\"settled\":[3,4]}" },
	{ EVENT_loop_ended, "{\"reason\":\"every decision was tried\"}" },
	{ EVENT_stage_done, "{\"stage\":\"student\"}" },
	{ EVENT_stage_started, "{\"stage\":\"confirm\"}" },
	{ EVENT_job_started, "{\"job\":\"confirm\",\"kind\":\"time\",\"dir\":\"jobs/"
			     "confirm\",\"purpose\":\"confirm\"}" },
	{ EVENT_job_done, "{\"job\":\"confirm\",\"result\":\"" FIXTURE_HEX
			  "\",\"samples\":\"" FIXTURE_HEX "\",\"seconds\":31.0}" },
	{ EVENT_confirm_done,
	  "{\"has_best\":true,\"confirmed\":true,\"goal_met\":true,\"round\":3,\"text\":"
	  "\"the fresh measurement agrees\",\"verdict\":{\"state\":\"pass\",\"reason\":\"ok\","
	  "\"shape\":\"\",\"group\":\"\",\"output\":\"\",\"detail\":\"\"},\"monitor\":"
	  "[{\"what\":\"spikes\",\"shape\":\"held\",\"group\":\"normal\",\"verdict\":{\"state\":"
	  "\"fail\",\"reason\":\"wrong_value\",\"shape\":\"\",\"group\":\"\",\"output\":\"y\","
	  "\"detail\":\"element "
	  "5\"},\"max_err\":1e-3,\"tolerance\":1e-6}],\"estimate\":" FIXTURE_ESTIMATE(
		  "confirm", "confirm", "16", "faster", "1.78", "1.73", "1.85") "}" },
	{ EVENT_stage_done, "{\"stage\":\"confirm\"}" },
	{ EVENT_run_ended, "{\"goal_met\":true,\"reason\":\"the goal is met\"}" },
};

static void fixture_result(const char *run_dir)
{
	struct err e = { 0 };
	AUTO_FREE char *dir = path_join(run_dir, "jobs/confirm");
	struct result_shape shapes[] = {
		{ "1024x1024", false, 4.0 * 1024 * 1024, 8.0 * 1024 * 1024 },
		{ "odd<&>", false, 2.8e6, 5.6e6 },
		{ "held", true, 4e5, 9e5 },
	};
	struct result r = { .job_id = "confirm", .shapes = shapes, .nr_shapes = 3 };
	r.cost = (struct job_cost){ .build_s = 2, .kernel_s = 20, .judge_s = 1, .total_s = 31 };
	static const char doc[] =
		"{\"machine\":{\"read_bytes_per_s\":20e9,\"f32_flops_per_s\":60e9},\"build\":"
		"{\"reference\":{\"flags\":\"gcc -O2\",\"compiler\":\"gcc 12\"},\"candidate\":"
		"{\"flags\":\"gcc -O3 "
		"-march=native\"}},\"timing\":{\"cold\":true,\"wait\":\"spin\","
		"\"null_ns\":[210]},\"notes\":[\"samples above 15 ms: fewer rounds\"]}";
	r.doc = json_read_text(doc, sizeof(doc) - 1, "fixture", &e);
	CHECK(r.doc != NULL);
	CHECK_OK(dir_make(dir, &e));
	CHECK_OK(result_save(&r, dir, &e));
	json_decref(r.doc);
}

/* The first `nr` events (0: all) in a new run directory. */
static void fixture_make(const char *run_dir, size_t nr)
{
	struct err e = { 0 };
	CHECK_OK(rundir_create(run_dir, &e));
	AUTO_FREE char *path = rundir_path(run_dir, RUNDIR_EVENTS);
	AUTO_EVENTLOG struct eventlog *log = eventlog_open(path, NULL, NULL, &e);
	if (!log)
		printf("# %s\n", e.text);
	CHECK(log != NULL);
	nr = nr ? nr : ARRAY_LEN(fixture_events);
	for (size_t i = 0; i < nr; i++) {
		const char *body = fixture_events[i].body;
		json_t *json = json_read_text(body, strlen(body), "fixture", &e);
		if (!json)
			printf("# event %zu: %s\n", i, e.text);
		CHECK(json != NULL);
		CHECK_OK(eventlog_add(log, fixture_events[i].type, json, &e));
	}
	fixture_result(run_dir);
}

/* A fresh folder that is removed by fixture_remove; yours. */
static char *fixture_dir(void)
{
	char *dir = xstrdup("/tmp/forge-test-XXXXXX");
	CHECK(mkdtemp(dir) != NULL);
	return dir;
}

static void fixture_remove(const char *dir)
{
	struct err ignored = { 0 };
	tree_remove(dir, &ignored);
}

#endif
