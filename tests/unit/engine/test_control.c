#include "engine/scene.h"

/* The control arm: the same judge, budget and agent, and nothing but the goal. */

static void control_new(struct scene *sc)
{
	struct err e = { 0 };
	AUTO_STR struct str made = STR_INIT;
	const struct engine_new spec = {
		.task_dir = sc->task, .run_dir = sc->run, .seed = 42, .is_control = true
	};
	CHECK_OK(engine_new_run(&spec, &made, &e));
}

static void control_open(struct scene *sc, const char *const *student)
{
	scene_open(sc);
	scene_student(sc, student);
	control_new(sc);
}

static const char *const usual[] = { "FAKE speedup=1.5", "FAKE reason=wrong_value",
				     "FAKE speedup=2", "FAKE speedup=1.2", NULL };
static const char usual_verdicts[] = "1 goal base 0 ok kept best\n"
				     "2 goal base 1 wrong_value rolled_back\n"
				     "3 goal base 1 ok kept best\n"
				     "4 goal base 3 ok kept\n"
				     "5 goal base 4 give_up no_candidate\n";

TEST(an_agent_gets_the_goal_until_it_gives_up_and_the_best_is_confirmed)
{
	struct scene sc;
	control_open(&sc, usual);
	scene_run_ok(&sc);
	CHECK_VERDICTS(&sc, usual_verdicts);
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	CHECK(s.is_control);
	CHECK(s.confirm.is_confirmed);
	CHECK_INT(s.confirm.round, 3);
	CHECK_TEXT(s.loop_end, "the agent gave up");
	scene_close(&sc);
}

TEST(a_control_arm_has_no_curriculum_no_gate_and_no_turn_of_the_teacher)
{
	struct scene sc;
	control_open(&sc, usual);
	scene_run_ok(&sc);
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	CHECK_INT(s.nr_curricula, 0);
	CHECK_INT(s.nr_gates, 0);
	CHECK_INT(s.nr_metas, 0);
	CHECK_INT(s.teacher_usage.turns, 0);
	CHECK_INT(s.student_usage.turns, 5);
	scene_close(&sc);
}

/* The transcript of a turn holds what the agent was told. */
static void read_turn(const struct scene *sc, const char *name, struct str *out)
{
	struct err e = { 0 };
	AUTO_FREE char *path = xasprintf("%s/agents/%s", sc->run, name);
	CHECK_OK(file_read(path, 1 << 20, out, &e));
}

TEST(the_agent_is_told_goal_description_and_feedback_and_no_row)
{
	struct scene sc;
	AUTO_STR struct str turn = STR_INIT;
	control_open(&sc, usual);
	scene_run_ok(&sc);
	read_turn(&sc, "0003-student-round-0003.jsonl", &turn);
	static const char *const told[] = { "\\\"kind\\\":\\\"goal\\\"", "\\\"goal\\\":{",
					    "\\\"description\\\":", "FAKE speedup=1.5",
					    "wrong_value" };
	static const char *const kept_back[] = { "\\\"row\\\"", "\\\"rows\\\"", "\\\"lessons\\\"",
						 "held" };
	for (size_t i = 0; i < ARRAY_LEN(told); i++) {
		printf("# %s\n", told[i]);
		CHECK(strstr(turn.text, told[i]));
	}
	for (size_t i = 0; i < ARRAY_LEN(kept_back); i++) {
		printf("# not %s\n", kept_back[i]);
		CHECK(!strstr(turn.text, kept_back[i]));
	}
	scene_close(&sc);
}

TEST(an_agent_that_fails_three_times_in_a_row_ends_the_loop)
{
	struct scene sc;
	scene_open(&sc);
	AUTO_STR struct str lines = STR_INIT;
	for (int i = 0; i < 9; i++)
		str_add(&lines, "{\"type\":\"error\",\"text\":\"no answer today\"}\n");
	scene_write(&sc, "replay/student.jsonl", lines.text);
	control_new(&sc);
	scene_run_ok(&sc);
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	CHECK_INT(s.nr_rounds, 3);
	CHECK_TEXT(s.loop_end, "the agent failed three times in a row");
	CHECK(!s.confirm.has_best);
	scene_close(&sc);
}

TEST(a_control_arm_killed_after_every_event_ends_like_an_undisturbed_one)
{
	struct scene sc;
	unsigned sessions = 0;
	control_open(&sc, usual);
	while (!scene_session(&sc, 2 + sessions % 2))
		CHECK(++sessions < 300);
	CHECK(sessions > 25);
	CHECK_VERDICTS(&sc, usual_verdicts);
	scene_close(&sc);
}

TEST_MAIN()
