#include "engine/scene.h"

#include <stdlib.h>
#include <sys/stat.h>

/* Whole campaigns: what becomes of candidates, gates and the goal. */

TEST(a_campaign_keeps_rolls_back_promotes_and_confirms)
{
	struct scene sc;
	scene_open(&sc);
	scene_student(&sc, scene_usual);
	scene_new(&sc);
	scene_run_ok(&sc);
	CHECK_INT(sc.outcome, ENGINE_GOAL_MET);
	CHECK_VERDICTS(&sc, scene_usual_verdicts);
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	CHECK(s.is_ended && s.is_goal_met);
	CHECK_INT(s.nr_bests, 2);
	CHECK_INT(s.bests[1].round, 5);
	CHECK(s.confirm.is_confirmed && s.confirm.round == 5);
	CHECK_INT(s.confirm.estimate.replicates, 16);
	CHECK_INT(s.confirm.estimate.nr_shapes, 3);
	CHECK(s.has_report);
	scene_close(&sc);
}

TEST(gates_say_what_held_and_cite_their_jobs)
{
	struct scene sc;
	scene_open(&sc);
	scene_student(&sc, scene_usual);
	scene_new(&sc);
	scene_run_ok(&sc);
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	CHECK_INT(s.nr_gates, 2);
	CHECK_INT(s.gates[0].result, GATE_PASS);
	CHECK_INT(s.gates[0].mechanism, GATE_NONE);
	CHECK_INT(s.gates[1].correctness, GATE_PASS);
	CHECK_INT(s.gates[1].performance, GATE_PASS);
	CHECK_INT(s.gates[1].mechanism, GATE_PASS);
	CHECK(s.gates[1].mechanisms[0].before == 128 && s.gates[1].mechanisms[0].after == 256);
	CHECK_TEXT(s.gates[0].evidence.items[0], "r0001-screen");
	scene_close(&sc);
}

TEST(a_mechanism_that_did_not_move_fails_its_gate)
{
	static const char *const marks[] = { "FAKE speedup=2", "give_up",        "give_up",
					     "give_up",        "FAKE speedup=4", NULL };
	struct scene sc;
	scene_open(&sc);
	scene_student(&sc, marks);
	scene_new(&sc);
	scene_run_ok(&sc);
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	CHECK_INT(s.gates[1].performance, GATE_PASS);
	CHECK_INT(s.gates[1].mechanism, GATE_FAIL);
	CHECK_INT(s.gates[1].result, GATE_FAIL);
	scene_close(&sc);
}

TEST(what_a_row_of_the_structure_predicts_is_recorded_and_decides_nothing)
{
	static const char *const marks[] = { "FAKE speedup=2", "give_up", NULL };
	struct scene sc;
	scene_open(&sc);
	scene_edit(&sc, "replay/course.toml",
		   "mechanism_none = \"how often a loop runs is no metric of the profile\"",
		   "mechanism = { metric = \"vector_bits\", direction = \"up\" }");
	scene_student(&sc, marks);
	scene_new(&sc);
	scene_run_ok(&sc);
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	CHECK_INT(s.gates[0].result, GATE_PASS);
	CHECK_INT(s.gates[0].mechanism, GATE_NONE);
	CHECK_INT(s.gates[0].nr_mechanisms, 1);
	CHECK_INT(s.gates[0].mechanisms[0].result, GATE_FAIL);
	CHECK_TEXT(s.gates[0].mechanisms[0].decision, "D0.1");
	scene_close(&sc);
}

TEST(a_structure_without_a_mechanism_is_not_published)
{
	static const char *const marks[] = { "FAKE speedup=2", NULL };
	struct scene sc;
	scene_open(&sc);
	scene_edit(&sc, "replay/course.toml",
		   "mechanism_none = \"how often a loop runs is no metric of the profile\"\n", "");
	scene_student(&sc, marks);
	scene_new(&sc);
	scene_run_ok(&sc);
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	CHECK(s.nr_refused > 0);
	CHECK_INT(s.nr_curricula, 0);
	scene_close(&sc);
}

TEST(a_gain_that_one_replicate_denies_is_no_best)
{
	static const char *const marks[] = { "FAKE speedup=1.5 FAKE wide=1.6", NULL };
	struct scene sc;
	scene_open(&sc);
	scene_student(&sc, marks);
	scene_new(&sc);
	scene_run_ok(&sc);
	CHECK_INT(sc.outcome, ENGINE_ENDED_OTHERWISE);
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	CHECK_TEXT(s.rounds[0].decide.call, "undecided");
	CHECK_INT(s.nr_bests, 0);
	CHECK(s.confirm.is_done && !s.confirm.has_best);
	scene_close(&sc);
}

TEST(a_candidate_clearly_slower_than_the_best_is_not_decided)
{
	static const char *const marks[] = { "FAKE speedup=4", "FAKE speedup=2", NULL };
	struct scene sc;
	scene_open(&sc);
	scene_student(&sc, marks);
	scene_new(&sc);
	scene_run_ok(&sc);
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	CHECK(s.rounds[0].decide.call != NULL);
	CHECK(s.rounds[1].screen.call && !s.rounds[1].decide.call);
	CHECK_INT(s.rounds[1].outcome, ROUND_KEPT);
	scene_close(&sc);
}

TEST(the_same_source_is_measured_once)
{
	static const char *const marks[] = { "FAKE speedup=2", "FAKE speedup=2", NULL };
	struct scene sc;
	scene_open(&sc);
	scene_student(&sc, marks);
	scene_new(&sc);
	scene_run_ok(&sc);
	AUTO_STR struct str jobs = STR_INIT;
	scene_jobs(&sc, &jobs);
	CHECK(strstr(jobs.text, "r0001-decide") && !strstr(jobs.text, "r0002"));
	CHECK_VERDICTS(&sc, "1 D0.1 base 0 ok kept best\n2 D1.1 base 1 ok kept\n"
			    "3 D1.2 base 2 give_up no_candidate\n"
			    "4 D1.3 base 2 give_up no_candidate\n"
			    "5 D1.4 base 2 give_up no_candidate\n"
			    "6 D1.5 base 2 give_up no_candidate\n"
			    "7 D1.6 base 2 give_up no_candidate\n");
	scene_close(&sc);
}

TEST(a_best_that_loses_at_one_shape_is_not_confirmed_however_fast_it_is_elsewhere)
{
	static const char *const marks[] = { "FAKE speedup=4", "FAKE speedup=40 FAKE at_held=0.9",
					     NULL };
	struct scene sc;
	scene_open(&sc);
	scene_student(&sc, marks);
	scene_new(&sc);
	scene_run_ok(&sc);
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	CHECK_INT(s.nr_bests, 2);
	CHECK(s.confirm.is_confirmed && s.confirm.round == 1 && s.is_goal_met);
	CHECK_INT(s.confirm.lost.nr, 0);
	CHECK(strstr(s.warnings.items[0], "the kernel of round 2 was not confirmed: "));
	CHECK(strstr(s.warnings.items[0], " is faster; it loses at held by more than the noise "
					  "floor; another kernel is tried"));
	scene_close(&sc);
}

static void run_lossy(struct scene *sc, const char *target, struct run_state *s)
{
	static const char *const marks[] = { "FAKE speedup=40 FAKE at_odd=0.9 FAKE at_held=0.98",
					     NULL };
	scene_open(sc);
	scene_edit(sc, "task.toml", "ratio = 3.0", target);
	scene_student(sc, marks);
	scene_new(sc);
	scene_run_ok(sc);
	scene_state(sc, s);
}

TEST(every_shape_that_loses_is_named)
{
	struct scene sc;
	AUTO_RUN_STATE struct run_state s;
	run_lossy(&sc, "ratio = 3.0", &s);
	CHECK(!s.confirm.is_confirmed && !s.is_goal_met && s.confirm.has_best);
	CHECK_INT(s.confirm.lost.nr, 2);
	CHECK_TEXT(s.confirm.lost.items[0], "odd");
	CHECK_TEXT(s.confirm.lost.items[1], "held");
	CHECK(strstr(s.confirm.text, "it loses at odd, held by more than the noise floor"));
	scene_close(&sc);
}

TEST(the_task_may_allow_a_shape_to_lose_so_much_and_no_more)
{
	struct scene sc;
	AUTO_RUN_STATE struct run_state few;
	run_lossy(&sc, "ratio = 3.0\nshape_loss = 0.05", &few);
	CHECK(!few.confirm.is_confirmed);
	CHECK_INT(few.confirm.lost.nr, 1);
	CHECK(strstr(few.confirm.text,
		     "it loses at odd by more than the 5 % that the task allows"));
	scene_close(&sc);
	AUTO_RUN_STATE struct run_state more;
	run_lossy(&sc, "ratio = 3.0\nshape_loss = 0.15", &more);
	CHECK(more.confirm.is_confirmed && more.is_goal_met);
	CHECK_INT(more.confirm.lost.nr, 0);
	scene_close(&sc);
}

TEST(a_best_that_fails_its_confirmation_makes_room_for_the_one_before)
{
	static const char *const marks[] = { "FAKE speedup=4",
					     "FAKE speedup=8 FAKE confirm=wrong_value", NULL };
	struct scene sc;
	scene_open(&sc);
	scene_student(&sc, marks);
	scene_new(&sc);
	scene_run_ok(&sc);
	CHECK_INT(sc.outcome, ENGINE_GOAL_MET);
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	CHECK_INT(s.confirm.round, 1);
	CHECK(s.confirm.is_confirmed);
	CHECK_INT(s.warnings.nr, 1);
	CHECK(strstr(s.warnings.items[0], "round 2 did not stand"));
	AUTO_FREE char *best = rundir_path(sc.run, RUNDIR_BEST_KERNEL);
	AUTO_STR struct str text = STR_INIT;
	struct err e = { 0 };
	CHECK_OK(file_read(best, 1 << 20, &text, &e));
	CHECK_TEXT(text.text, "FAKE speedup=4");
	scene_close(&sc);
}

TEST(evidence_names_what_was_measured)
{
	struct scene sc;
	scene_open(&sc);
	scene_student(&sc, scene_usual);
	scene_new(&sc);
	scene_run_ok(&sc);
	struct err e = { 0 };
	AUTO_FREE char *path = rundir_path(sc.run, RUNDIR_BEST_EVIDENCE);
	AUTO_FREE char *kernel = rundir_path(sc.run, RUNDIR_BEST_KERNEL);
	AUTO_JSON json_t *doc = json_read_file(path, &e);
	CHECK(doc);
	struct digest digest;
	CHECK_OK(digest_file(kernel, &digest, &e));
	const json_t *digests = json_object_get(doc, "digests");
	CHECK_TEXT(json_text_or(digests, "source", ""), digest.hex);
	CHECK(strlen(json_text_or(digests, "samples", "")) == 64);
	CHECK(json_bool_or(doc, "confirmed", false));
	CHECK_TEXT(json_text_or(json_object_get(doc, "estimate"), "comparator", ""),
		   "the reference");
	scene_close(&sc);
}

TEST(a_short_budget_still_confirms_and_reports)
{
	struct scene sc;
	scene_open(&sc);
	AUTO_FREE char *path = path_join(sc.task, "task.toml");
	AUTO_STR struct str text = STR_INIT;
	struct err e = { 0 };
	CHECK_OK(file_read(path, 1 << 20, &text, &e));
	char *hours = strstr(text.text, "hours = 0.5");
	CHECK(hours);
	/* 0.9 s, a quarter of it in reserve; a screen and a decision of the fake claim 0.625 s. */
	AUTO_FREE char *shorter = xasprintf("%.*shours = 0.00025%s", (int)(hours - text.text),
					    text.text, hours + strlen("hours = 0.5"));
	scene_write(&sc, "task.toml", shorter);
	scene_student(&sc, scene_usual);
	scene_new(&sc);
	scene_run_ok(&sc);
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	CHECK(strstr(s.loop_end, "time budget"));
	CHECK(s.nr_rounds < 7);
	CHECK(s.confirm.is_done && s.has_report && s.is_ended);
	scene_close(&sc);
}

TEST(a_broken_job_costs_its_round_only)
{
	static const char *const once[] = { "FAKE error=disk", "FAKE speedup=4", NULL };
	struct scene sc;
	scene_open(&sc);
	scene_student(&sc, once);
	scene_new(&sc);
	scene_run_ok(&sc);
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	CHECK_INT(s.rounds[0].outcome, ROUND_NO_CANDIDATE);
	CHECK(strstr(s.warnings.items[0], "without a measurement"));
	scene_close(&sc);
}

TEST(three_broken_jobs_in_a_row_end_the_run_with_an_error)
{
	static const char *const marks[] = { "FAKE speedup=2", "FAKE error=a", "FAKE error=b",
					     "FAKE error=c", NULL };
	struct scene sc;
	scene_open(&sc);
	scene_student(&sc, marks);
	scene_new(&sc);
	CHECK(scene_run(&sc) < 0);
	CHECK_TEXT(sc.e.text, "stage student: job r0004-screen: c");
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	CHECK_INT(s.rounds[1].outcome, ROUND_NO_CANDIDATE);
	CHECK_INT(s.rounds[3].outcome, ROUND_OPEN);
	scene_close(&sc);
}

TEST(a_job_that_failed_is_tried_once_more)
{
	static const char *const marks[] = { "FAKE flaky=1 FAKE speedup=2", NULL };
	struct scene sc;
	scene_open(&sc);
	scene_student(&sc, marks);
	scene_new(&sc);
	scene_run_ok(&sc);
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	CHECK(s.rounds[0].is_best);
	CHECK_INT(s.warnings.nr, 0);
	scene_close(&sc);
}

TEST(a_worker_that_always_dies_is_an_error_and_no_verdict)
{
	static const char *const marks[] = { "FAKE die=1", NULL };
	struct scene sc;
	scene_open(&sc);
	scene_student(&sc, marks);
	scene_new(&sc);
	scene_run_ok(&sc);
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	CHECK_INT(s.rounds[0].outcome, ROUND_NO_CANDIDATE);
	CHECK_INT(s.rounds[0].verdict.state, VERDICT_NONE);
	CHECK(run_state_job(&s, "r0001-screen")->has_failed);
	scene_close(&sc);
}

static bool any_file_holds(const char *dir, const char *word)
{
	struct err e = { 0 };
	AUTO_STRV struct strv names = { 0 };
	CHECK_OK(dir_list(dir, &names, &e));
	for (size_t i = 0; i < names.nr; i++) {
		AUTO_FREE char *path = path_join(dir, names.items[i]);
		AUTO_STR struct str text = STR_INIT;
		if (file_is_dir(path))
			continue;
		CHECK_OK(file_read(path, 1 << 24, &text, &e));
		if (strstr(text.text, word))
			return true;
	}
	return false;
}

TEST(no_agent_is_told_held_out_shapes_or_the_judge)
{
	struct scene sc;
	scene_open(&sc);
	scene_student(&sc, scene_usual);
	scene_new(&sc);
	scene_run_ok(&sc);
	AUTO_FREE char *agents = rundir_path(sc.run, RUNDIR_AGENTS);
	CHECK(any_file_holds(agents, "\\\"short\\\""));
	CHECK(!any_file_holds(agents, "\\\"held\\\""));
	CHECK(!any_file_holds(agents, "\\\"n\\\":333"));
	CHECK(any_file_holds(agents, "\\\"n\\\":600"));
	CHECK(!any_file_holds(agents, "Independent oracle"));
	scene_close(&sc);
}

TEST(a_student_that_is_granted_nothing_never_sees_the_reference)
{
	struct scene sc;
	scene_open(&sc);
	scene_student(&sc, scene_usual);
	scene_new(&sc);
	scene_run_ok(&sc);
	AUTO_FREE char *path = path_join(sc.run, "agents/0002-student-round-0001.jsonl");
	AUTO_STR struct str text = STR_INIT;
	struct err e = { 0 };
	CHECK_OK(file_read(path, 1 << 24, &text, &e));
	CHECK(strstr(text.text, "\\\"start\\\":null"));
	CHECK(!strstr(text.text, "power *= x[i]"));
	scene_close(&sc);
}

static const char tells_its_cache[] =
	"#!/bin/sh\n[ \"$1\" = run ] && echo \"$FORGE_CACHE\" > \"$0.cache\"\n"
	"exec tests/fake/fake-worker \"$@\"\n";

static void check_cache(const char *named, const char *want_in)
{
	static const char *const marks[] = { NULL };
	struct scene sc;
	struct err e = { 0 };
	scene_open(&sc);
	scene_student(&sc, marks);
	scene_new(&sc);
	AUTO_FREE char *worker = path_join(sc.dir, "worker");
	AUTO_FREE char *told = xasprintf("%s.cache", worker);
	AUTO_FREE char *want =
		xasprintf("%s%s\n", *want_in ? "" : sc.run, *want_in ? want_in : "/cache");
	AUTO_STR struct str got = STR_INIT;
	CHECK_OK(file_write_text(worker, tells_its_cache, &e));
	CHECK_INT(chmod(worker, 0755), 0);
	sc.host.worker_path = worker;
	CHECK_INT(setenv("FORGE_CACHE", named, 1), 0);
	scene_run_ok(&sc);
	CHECK_OK(file_read(told, 4096, &got, &e));
	CHECK_TEXT(got.text, want);
	scene_close(&sc);
}

TEST(jobs_of_a_run_share_its_cache_of_builds_unless_another_is_named)
{
	check_cache("", "");
	check_cache("/tmp/forge-named-cache", "/tmp/forge-named-cache");
}

TEST_MAIN()
