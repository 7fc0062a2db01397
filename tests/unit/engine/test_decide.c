#include "engine/scene.h"

/* Which kernels K=8 is spent on, and what becomes of those that only K=2 has seen. */

static void run_with(struct scene *sc, const char *const *marks)
{
	scene_open(sc);
	scene_student(sc, marks);
	scene_new(sc);
	scene_run_ok(sc);
}

TEST(the_rows_of_a_milestone_share_one_decision)
{
	static const char *const marks[] = { "FAKE speedup=2", "FAKE speedup=3", "FAKE speedup=4",
					     "FAKE speedup=5", NULL };
	struct scene sc;
	run_with(&sc, marks);
	CHECK_DECISIONS(&sc, "r0001-decide r0004-decide best 1 best 4 ");
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	for (size_t i = 0; i < 4; i++) {
		CHECK_INT(s.rounds[i].screen.replicates, 2);
		CHECK(s.rounds[i].is_settled);
	}
	CHECK(!s.rounds[1].decide.call && !s.rounds[2].decide.call);
	CHECK_INT(s.rounds[3].decide.replicates, 8);
	CHECK_INT(s.gates[1].performance, GATE_PASS);
	scene_close(&sc);
}

TEST(a_row_that_its_screen_puts_clearly_lower_is_not_the_one_decided)
{
	static const char *const marks[] = { "FAKE speedup=2", "FAKE speedup=4", "FAKE speedup=3",
					     NULL };
	struct scene sc;
	run_with(&sc, marks);
	CHECK_DECISIONS(&sc, "r0001-decide r0002-decide best 1 best 2 ");
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	CHECK_INT(run_state_curriculum(&s)->milestones[1].decisions[1].fate, FATE_KEPT_SLOWER);
	CHECK(s.rounds[2].is_settled);
	scene_close(&sc);
}

TEST(of_screens_that_do_not_differ_the_newest_is_decided)
{
	static const char *const marks[] = { "FAKE speedup=2", "FAKE speedup=4",
					     "FAKE speedup=3.99 b", NULL };
	struct scene sc;
	run_with(&sc, marks);
	CHECK_DECISIONS(&sc, "r0001-decide r0003-decide best 1 best 3 ");
	scene_close(&sc);
}

TEST(a_kernel_above_what_a_misleading_screen_promised_is_decided_too)
{
	static const char *const marks[] = { "FAKE speedup=2", "FAKE speedup=3",
					     "FAKE speedup=8 FAKE decided=2.5", NULL };
	struct scene sc;
	run_with(&sc, marks);
	CHECK_DECISIONS(&sc, "r0001-decide r0003-decide r0002-decide best 1 best 3 best 2 ");
	scene_close(&sc);
}

TEST(a_decision_that_is_not_faster_than_the_best_changes_nothing)
{
	static const char *const marks[] = { "FAKE speedup=4", "FAKE speedup=5 FAKE decided=3",
					     NULL };
	struct scene sc;
	run_with(&sc, marks);
	CHECK_DECISIONS(&sc, "r0001-decide r0002-decide best 1 ");
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	CHECK_INT(s.confirm.round, 1);
	CHECK_INT(s.rounds[1].outcome, ROUND_KEPT);
	CHECK_INT(s.rounds[2].base, 2);
	scene_close(&sc);
}

TEST(a_kernel_that_its_decision_finds_wrong_is_rolled_back_and_the_one_below_is_decided)
{
	static const char *const marks[] = { "FAKE speedup=2", "FAKE speedup=3",
					     "FAKE speedup=4 FAKE decide=wrong_value", NULL };
	struct scene sc;
	run_with(&sc, marks);
	CHECK_DECISIONS(&sc, "r0001-decide r0003-decide r0002-decide best 1 best 2 ");
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	CHECK_INT(s.rounds[2].outcome, ROUND_ROLLED_BACK);
	CHECK_INT(run_state_curriculum(&s)->milestones[1].decisions[1].fate, FATE_ROLLED_BACK);
	scene_close(&sc);
}

TEST(a_screen_below_the_reference_is_not_worth_a_decision)
{
	static const char *const marks[] = { "FAKE speedup=0.99", NULL };
	struct scene sc;
	run_with(&sc, marks);
	CHECK_DECISIONS(&sc, "");
	CHECK_INT(sc.outcome, ENGINE_ENDED_OTHERWISE);
	scene_close(&sc);
}

static void set_stall(const struct scene *sc, const char *line)
{
	struct err e = { 0 };
	AUTO_FREE char *path = path_join(sc->task, "task.toml");
	AUTO_STR struct str text = STR_INIT;
	CHECK_OK(file_read(path, 1 << 20, &text, &e));
	char *at = strstr(text.text, "stall = 50");
	CHECK(at);
	AUTO_FREE char *changed = xasprintf("%.*s%s%s", (int)(at - text.text), text.text, line,
					    at + strlen("stall = 50"));
	scene_write(sc, "task.toml", changed);
}

TEST(rounds_that_get_faster_are_decided_before_they_count_as_a_stall)
{
	static const char *const marks[] = { "FAKE speedup=1.1", "FAKE speedup=1.2",
					     "FAKE speedup=1.3", "FAKE speedup=1.4",
					     "FAKE speedup=1.5", "FAKE speedup=1.6",
					     "FAKE speedup=1.7", NULL };
	struct scene sc;
	scene_open(&sc);
	set_stall(&sc, "stall = 3");
	scene_student(&sc, marks);
	scene_new(&sc);
	scene_run_ok(&sc);
	CHECK_DECISIONS(&sc, "r0001-decide r0004-decide r0007-decide best 1 best 4 best 7 ");
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	/* Only the exhausted course brought the teacher: the goal is 3. */
	CHECK_INT(s.nr_metas, 1);
	CHECK_TEXT(s.metas[0].trigger, "exhausted");
	scene_close(&sc);
}

TEST(a_decision_whose_job_fails_is_done_without)
{
	static const char *const marks[] = { "FAKE speedup=2", "FAKE speedup=3",
					     "FAKE speedup=4 FAKE fails_in=decide", NULL };
	struct scene sc;
	run_with(&sc, marks);
	CHECK_DECISIONS(&sc, "r0001-decide r0003-decide r0002-decide best 1 best 2 ");
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	CHECK(strstr(s.warnings.items[0], "round 3 ended without a decision: job r0003-decide"));
	CHECK_INT(s.rounds[2].outcome, ROUND_KEPT);
	scene_close(&sc);
}

TEST(a_best_that_is_wrong_makes_room_for_the_fastest_that_was_screened)
{
	static const char *const marks[] = { "FAKE speedup=2", "FAKE speedup=4",
					     "FAKE speedup=8 FAKE confirm=wrong_value", NULL };
	struct scene sc;
	run_with(&sc, marks);
	CHECK_DECISIONS(&sc, "r0001-decide r0003-decide best 1 best 3 ");
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	CHECK(s.confirm.is_confirmed);
	CHECK_INT(s.confirm.round, 2);
	CHECK_INT(s.confirm.estimate.replicates, 16);
	CHECK(strstr(s.warnings.items[0], "kernel of round 3 did not stand"));
	AUTO_FREE char *best = rundir_path(sc.run, RUNDIR_BEST_KERNEL);
	AUTO_STR struct str text = STR_INIT;
	struct err e = { 0 };
	CHECK_OK(file_read(best, 1 << 20, &text, &e));
	CHECK_TEXT(text.text, "FAKE speedup=4");
	scene_close(&sc);
}

TEST_MAIN()
