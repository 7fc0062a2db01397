#include "engine/scene.h"

static void scene_judges(struct scene *sc, const char *const *judges)
{
	struct err e = { 0 };
	AUTO_STR struct str lines = STR_INIT;
	AUTO_FREE char *judge = path_join(sc->task, "judge");
	CHECK_OK(tree_remove(judge, &e));
	for (; *judges; judges++) {
		AUTO_JSON json_t *row = json_pack("{s:s, s:s}", "type", "judge", "source", *judges);
		AUTO_FREE char *line = json_line(row);
		str_addf(&lines, "%s\n", line);
	}
	str_add(&lines, "{\"type\":\"curriculum\",\"toml_file\":\"course.toml\"}\n");
	scene_write(sc, "replay/teacher.jsonl", lines.text);
}

/* The scene's task without a reference; answers of the student in order. `judges`: those that the
 * teacher writes; NULL: the task ships its own. */
static void scene_generate_by(struct scene *sc, const char *const *judges, const char *const *marks)
{
	struct err e = { 0 };
	AUTO_STR struct str text = STR_INIT;
	scene_open(sc);
	scene_student(sc, marks);
	if (judges)
		scene_judges(sc, judges);
	AUTO_FREE char *toml = path_join(sc->task, "task.toml");
	AUTO_FREE char *reference = path_join(sc->task, "reference");
	CHECK_OK(file_read(toml, 1 << 20, &text, &e));
	char *at = strstr(text.text, "[reference]");
	CHECK(at);
	char *end = strstr(at, "\n[");
	CHECK(end);
	*at = 0;
	AUTO_FREE char *rest = xasprintf("%s%s", text.text, end + 1);
	CHECK_OK(file_write_text(toml, rest, &e));
	CHECK_OK(tree_remove(reference, &e));
	scene_new(sc);
}

static void scene_generate(struct scene *sc, const char *const *marks)
{
	scene_generate_by(sc, NULL, marks);
}

static const char kernel[] = "void powers(const float *x, const float *c, float *y, int64_t n, "
			     "int64_t m)\n{\n}\n";

TEST(the_student_writes_generation_0_and_the_run_beats_it)
{
	struct scene sc;
	scene_generate(&sc, (const char *const[]){ kernel, "FAKE speedup=4", NULL });
	scene_run_ok(&sc);
	CHECK_INT(sc.outcome, ENGINE_GOAL_MET);
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	CHECK_TEXT(s.reference.mode, "generate");
	CHECK_INT(s.reference.nr_written, 1);
	CHECK_INT(s.judge.nr_misaligned, 0);
	CHECK_TEXT(s.started_from, "nothing");
	scene_close(&sc);
}

TEST(a_refused_kernel_goes_back_with_visible_cases_only)
{
	struct scene sc;
	struct err e = { 0 };
	AUTO_STR struct str sent = STR_INIT;
	scene_generate(
		&sc, (const char *const[]){ "FAKE misaligned=1", kernel, "FAKE speedup=4", NULL });
	scene_run_ok(&sc);
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	CHECK_INT(s.reference.nr_written, 2);
	CHECK_INT(s.judge.nr_misaligned, 1);
	AUTO_FREE char *path = path_join(sc.run, "agents/0002-student-generate-2.jsonl");
	CHECK_OK(file_read(path, 1 << 20, &sent, &e));
	CHECK(strstr(sent.text, "does not compute what the judge computes"));
	CHECK(strstr(sent.text, "0.5"));
	CHECK(!strstr(sent.text, "held"));
	CHECK(!strstr(sent.text, "0.25"));
	scene_close(&sc);
}

TEST(a_kernel_that_does_not_build_goes_back_too)
{
	struct scene sc;
	scene_generate(&sc,
		       (const char *const[]){ "FAKE broken=1", kernel, "FAKE speedup=4", NULL });
	scene_run_ok(&sc);
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	CHECK_INT(s.reference.nr_written, 2);
	CHECK_INT(sc.outcome, ENGINE_GOAL_MET);
	scene_close(&sc);
}

TEST(after_three_refusals_there_is_nothing_to_begin_with)
{
	struct scene sc;
	scene_generate(&sc, (const char *const[]){ "FAKE misaligned=1", "FAKE misaligned=2",
						   "FAKE misaligned=3", kernel, NULL });
	CHECK(scene_run(&sc) < 0);
	CHECK(strstr(sc.e.text, "3 attempts were refused"));
	scene_close(&sc);
}

static void scene_sent(const struct scene *sc, const char *name, struct str *text)
{
	struct err e = { 0 };
	AUTO_FREE char *path = path_join(sc->run, name);
	CHECK_OK(file_read(path, 1 << 24, text, &e));
}

TEST(a_written_judge_that_does_not_build_goes_back_to_its_author_and_the_kernel_stays)
{
	struct scene sc;
	AUTO_STR struct str sent = STR_INIT;
	scene_generate_by(&sc, (const char *const[]){ "FAKE unbuilt=1", "right", NULL },
			  (const char *const[]){ kernel, "FAKE speedup=4", NULL });
	scene_run_ok(&sc);
	CHECK_INT(sc.outcome, ENGINE_GOAL_MET);
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	CHECK_INT(s.reference.nr_written, 1);
	CHECK_INT(s.judge.nr_faults, 1);
	CHECK_INT(s.judge.nr_misaligned, 1);
	scene_sent(&sc, "agents/0003-teacher-judge-2.jsonl", &sent);
	CHECK(strstr(sent.text, "compile_failed: judge.c:1: as marked"));
	CHECK(strstr(sent.text, "```text"));
	scene_close(&sc);
}

TEST(judges_and_kernels_are_refused_apart)
{
	struct scene sc;
	scene_generate_by(
		&sc,
		(const char *const[]){ "FAKE unbuilt=1", "FAKE judge_fails=held", "right", NULL },
		(const char *const[]){ "FAKE misaligned=1", "FAKE misaligned=2", kernel,
				       "FAKE speedup=4", NULL });
	scene_run_ok(&sc);
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	CHECK_INT(s.judge.nr_faults, 2);
	CHECK_INT(s.judge.nr_misaligned, 4);
	CHECK_INT(s.reference.nr_written, 3);
	scene_close(&sc);
}

TEST(three_judges_that_give_no_answer_end_a_run_without_a_reference_with_why)
{
	struct scene sc;
	scene_generate_by(&sc,
			  (const char *const[]){ "FAKE unbuilt=1", "FAKE judge_fails=short",
						 "FAKE unbuilt=3", "right", NULL },
			  (const char *const[]){ kernel, NULL });
	CHECK(scene_run(&sc) < 0);
	CHECK(strstr(sc.e.text, "the judge can not be used"));
	CHECK(strstr(sc.e.text, "compile_failed"));
	CHECK(strstr(sc.e.text, "three attempts failed"));
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	CHECK_INT(s.teacher_usage.turns, 3);
	CHECK_INT(s.student_usage.turns, 1);
	scene_close(&sc);
}

TEST(a_shipped_judge_that_gives_no_answer_is_not_the_kernels_fault)
{
	struct scene sc;
	struct err e = { 0 };
	AUTO_STR struct str judge = STR_INIT;
	scene_generate(&sc, (const char *const[]){ kernel, kernel, kernel, NULL });
	AUTO_FREE char *path = path_join(sc.run, "task/judge/judge.c");
	CHECK_OK(file_read(path, 1 << 20, &judge, &e));
	str_add(&judge, "/* FAKE unbuilt=1 */\n");
	CHECK_OK(file_write_text(path, judge.text, &e));
	CHECK(scene_run(&sc) < 0);
	CHECK(strstr(sc.e.text, "correct judge/judge.c"));
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	CHECK_INT(s.student_usage.turns, 1);
	scene_close(&sc);
}

TEST(a_student_that_writes_none_ends_the_run_with_the_reason)
{
	struct scene sc;
	scene_generate(&sc, (const char *const[]){ "give_up", NULL });
	CHECK(scene_run(&sc) < 0);
	CHECK(strstr(sc.e.text, "the student wrote none (give_up: as told)"));
	scene_close(&sc);
}

static void die_when_refused(void *ctx, const struct event *ev, const struct run_state *s)
{
	(void)ctx;
	(void)s;
	if (ev->type == EVENT_judge_misaligned)
		_exit(9);
}

TEST(a_run_killed_after_a_judge_was_refused_asks_for_the_next_judge_only)
{
	struct scene sc;
	scene_generate_by(&sc, (const char *const[]){ "FAKE unbuilt=1", "right", NULL },
			  (const char *const[]){ kernel, "FAKE speedup=4", NULL });
	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		sc.hooks.see_event = die_when_refused;
		scene_run(&sc);
		_exit(0);
	}
	int status = 0;
	waitpid(pid, &status, 0);
	CHECK_INT(WEXITSTATUS(status), 9);
	scene_run_ok(&sc);
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	CHECK_INT(s.judge.nr_faults, 1);
	CHECK_INT(s.reference.nr_written, 1);
	CHECK(run_state_turn(&s, "judge-2"));
	CHECK(!run_state_turn(&s, "judge-3"));
	scene_close(&sc);
}

static void die_when_written(void *ctx, const struct event *ev, const struct run_state *s)
{
	(void)ctx;
	(void)s;
	if (ev->type == EVENT_reference_written)
		_exit(9);
}

TEST(a_run_killed_after_the_kernel_was_written_does_not_have_it_written_twice)
{
	struct scene sc;
	scene_generate(&sc, (const char *const[]){ kernel, "FAKE speedup=4", NULL });
	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		sc.hooks.see_event = die_when_written;
		scene_run(&sc);
		_exit(0);
	}
	int status = 0;
	waitpid(pid, &status, 0);
	CHECK_INT(WEXITSTATUS(status), 9);
	scene_run_ok(&sc);
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	CHECK_INT(s.reference.nr_written, 1);
	CHECK_INT(sc.outcome, ENGINE_GOAL_MET);
	scene_close(&sc);
}

TEST_MAIN()
