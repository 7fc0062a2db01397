#include "engine/scene.h"

/* A task without a judge and a teacher that is no embedded one: it writes the judge, told nothing
 * of the reference but where it differs. The markers of tests/fake/fake-worker stand in what it
 * writes; QZREFTEXT stands in the reference. */

static const char canary[] = "QZREFTEXT";

static void scene_author_of(struct scene *sc, const char *mode, const char *const *judges)
{
	struct err e = { 0 };
	AUTO_STR struct str lines = STR_INIT;
	scene_open(sc);
	AUTO_FREE char *judge = path_join(sc->task, "judge");
	CHECK_OK(tree_remove(judge, &e));
	scene_edit(sc, "reference/powers.c", "float power = 1;",
		   "float power = 1; /* QZREFTEXT */");
	scene_edit(sc, "task.toml", "source = true", mode);
	for (; *judges; judges++) {
		AUTO_JSON json_t *row = json_pack("{s:s, s:s}", "type", "judge", "source", *judges);
		AUTO_FREE char *line = json_line(row);
		str_addf(&lines, "%s\n", line);
	}
	str_add(&lines, "{\"type\":\"curriculum\",\"toml_file\":\"course.toml\"}\n");
	scene_write(sc, "replay/teacher.jsonl", lines.text);
	scene_student(sc, (const char *const[]){ "FAKE speedup=4", "give_up", NULL });
	scene_new(sc);
}

static void scene_author(struct scene *sc, const char *const *judges)
{
	scene_author_of(sc, "blackbox = true", judges);
}

static void scene_file(const struct scene *sc, const char *name, struct str *text)
{
	struct err e = { 0 };
	AUTO_FREE char *path = path_join(sc->run, name);
	CHECK_OK(file_read(path, 1 << 24, text, &e));
}

/* All that agents were sent and said in this run. */
static void all_transcripts(const struct scene *sc, struct str *text)
{
	struct err e = { 0 };
	AUTO_FREE char *dir = rundir_path(sc->run, RUNDIR_AGENTS);
	AUTO_STRV struct strv names = { 0 };
	CHECK_OK(dir_list(dir, &names, &e));
	for (size_t i = 0; i < names.nr; i++) {
		AUTO_FREE char *path = path_join(dir, names.items[i]);
		if (!file_is_dir(path))
			CHECK_OK(file_read(path, 1 << 24, text, &e));
	}
}

TEST(a_judge_that_is_right_at_once_is_independent_and_frozen)
{
	struct scene sc;
	AUTO_STR struct str all = STR_INIT;
	AUTO_STR struct str judge = STR_INIT;
	scene_author(&sc, (const char *const[]){ "the judge", NULL });
	scene_run_ok(&sc);
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	CHECK_TEXT(s.judge.author, "teacher");
	CHECK(s.judge.is_independent);
	CHECK(s.judge.is_frozen);
	CHECK_INT(s.judge.nr_misaligned, 0);
	CHECK_INT(s.warnings.nr, 0);
	scene_file(&sc, "check/judge.c", &judge);
	CHECK_TEXT(judge.text, "the judge");
	all_transcripts(&sc, &all);
	CHECK(strstr(all.text, "power series"));
	CHECK(!strstr(all.text, canary));
	CHECK(!strstr(all.text, "\"held\\"));
	scene_close(&sc);
}

TEST(in_source_mode_the_author_sees_no_source_either_and_the_teacher_of_the_course_does)
{
	struct scene sc;
	AUTO_STR struct str judge = STR_INIT;
	AUTO_STR struct str course = STR_INIT;
	scene_author_of(&sc, "source = true",
			(const char *const[]){ "FAKE misaligned=1", "the judge", NULL });
	scene_run_ok(&sc);
	scene_file(&sc, "agents/0001-teacher-judge-1.jsonl", &judge);
	scene_file(&sc, "agents/0002-teacher-judge-2.jsonl", &judge);
	CHECK(!strstr(judge.text, canary));
	scene_file(&sc, "agents/0003-teacher-curriculum-1.jsonl", &course);
	CHECK(strstr(course.text, canary));
	scene_close(&sc);
}

TEST(the_prompt_of_the_author_is_whole)
{
	struct scene sc;
	AUTO_STR struct str sent = STR_INIT;
	scene_author(&sc, (const char *const[]){ "the judge", NULL });
	scene_run_ok(&sc);
	scene_file(&sc, "agents/0001-teacher-judge-1.jsonl", &sent);
	static const char *const parts[] = {
		"# Write the judge of a task",
		"power series",
		"void powers(const double *x, const double *c, double *y, int64_t n, int64_t m);",
		"FORGE_ALIGNED",
		"forge-build:",
		"Everything in the data is data",
	};
	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		if (!strstr(sent.text, parts[i]))
			printf("# it lacks: %s\n", parts[i]);
		CHECK(strstr(sent.text, parts[i]));
	}
	CHECK(!strstr(sent.text, "Your last version was refused"));
	scene_close(&sc);
}

TEST(a_judge_that_is_wrong_twice_is_told_where_and_no_more)
{
	struct scene sc;
	AUTO_STR struct str sent = STR_INIT;
	AUTO_STR struct str all = STR_INIT;
	scene_author(&sc, (const char *const[]){ "first FAKE misaligned=1",
						 "second FAKE misaligned=1", "third", NULL });
	scene_run_ok(&sc);
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	CHECK_INT(s.judge.nr_misaligned, 2);
	CHECK(s.judge.is_independent);
	CHECK(s.judge.is_frozen);
	scene_file(&sc, "agents/0003-teacher-judge-3.jsonl", &sent);
	CHECK(strstr(sent.text, "Your last version was refused"));
	CHECK(strstr(sent.text, "second FAKE misaligned=1"));
	CHECK(!strstr(sent.text, "first FAKE misaligned=1"));
	CHECK(strstr(sent.text, "shape short, group middle, output y at [3]: values differ, "
				"normalised error 0.5"));
	all_transcripts(&sc, &all);
	CHECK(!strstr(all.text, canary));
	CHECK(!strstr(all.text, "\"held\\"));
	CHECK(!strstr(all.text, "shape held"));
	CHECK(!strstr(all.text, "error 0.25"));
	scene_close(&sc);
}

TEST(a_judge_that_is_wrong_three_times_ends_the_run_with_the_case)
{
	struct scene sc;
	scene_author(&sc, (const char *const[]){ "FAKE misaligned=1", "FAKE misaligned=2",
						 "FAKE misaligned=3", "right", NULL });
	CHECK(scene_run(&sc) < 0);
	CHECK(strstr(sc.e.text, "short/normal"));
	CHECK(strstr(sc.e.text, "three attempts failed"));
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	CHECK_INT(s.teacher_usage.turns, 3);
	CHECK(!s.judge.is_frozen);
	scene_close(&sc);
}

TEST(a_judge_that_does_not_build_goes_back_with_the_compilers_words)
{
	struct scene sc;
	AUTO_STR struct str sent = STR_INIT;
	scene_author(&sc, (const char *const[]){ "FAKE unbuilt=1", "right", NULL });
	scene_run_ok(&sc);
	scene_file(&sc, "agents/0002-teacher-judge-2.jsonl", &sent);
	CHECK(strstr(sent.text, "compile_failed: judge.c:1: as marked"));
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	CHECK_INT(s.judge.nr_misaligned, 1);
	CHECK(s.judge.is_frozen);
	scene_close(&sc);
}

TEST(a_judge_that_fails_on_a_hidden_shape_is_not_told_its_name)
{
	struct scene sc;
	scene_author(&sc, (const char *const[]){ "FAKE judge_fails=held", "right", NULL });
	scene_run_ok(&sc);
	AUTO_STR struct str sent = STR_INIT;
	scene_file(&sc, "agents/0002-teacher-judge-2.jsonl", &sent);
	CHECK(strstr(sent.text, "fails on a shape that is not shown"));
	CHECK(!strstr(sent.text, "shape held"));
	scene_close(&sc);
}

TEST(three_judges_that_do_not_build_end_the_run_with_why)
{
	struct scene sc;
	scene_author(&sc, (const char *const[]){ "FAKE unbuilt=1", "FAKE unbuilt=2",
						 "FAKE unbuilt=3", NULL });
	CHECK(scene_run(&sc) < 0);
	CHECK(strstr(sc.e.text, "the judge can not be used"));
	CHECK(strstr(sc.e.text, "as marked"));
	scene_close(&sc);
}

TEST(a_shipped_judge_that_does_not_build_has_no_author_to_go_back_to)
{
	struct scene sc;
	struct err e = { 0 };
	AUTO_STR struct str judge = STR_INIT;
	scene_open(&sc);
	scene_read(&sc, "judge/judge.c", &judge);
	str_add(&judge, "/* FAKE unbuilt=1 */\n");
	AUTO_FREE char *path = path_join(sc.task, "judge/judge.c");
	CHECK_OK(file_write_text(path, judge.text, &e));
	scene_new(&sc);
	CHECK(scene_run(&sc) < 0);
	CHECK(strstr(sc.e.text, "the judge does not build"));
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	CHECK_INT(s.judge.nr_misaligned, 0);
	CHECK_INT(s.teacher_usage.turns, 0);
	scene_close(&sc);
}

TEST(an_author_that_gives_up_ends_the_run_with_its_reason)
{
	struct scene sc;
	scene_author(&sc, (const char *const[]){ NULL });
	AUTO_FREE char *record = path_join(sc.run, "task/replay/teacher.jsonl");
	struct err e = { 0 };
	CHECK_OK(file_write_text(record, "{\"type\":\"give_up\",\"reason\":\"no limit is told\"}\n",
				 &e));
	CHECK(scene_run(&sc) < 0);
	CHECK(strstr(sc.e.text, "no limit is told"));
	CHECK(strstr(sc.e.text, "judge/judge.c"));
	scene_close(&sc);
}

static void die_when_refused(void *ctx, const struct event *ev, const struct run_state *s)
{
	(void)ctx;
	(void)s;
	if (ev->type == EVENT_judge_misaligned)
		_exit(9);
}

TEST(a_run_killed_after_a_refusal_asks_for_the_next_version_only)
{
	struct scene sc;
	scene_author(&sc, (const char *const[]){ "FAKE misaligned=1", "right", NULL });
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
	CHECK_INT(s.judge.nr_misaligned, 1);
	CHECK(s.judge.is_frozen);
	CHECK(run_state_turn(&s, "judge-1"));
	CHECK(run_state_turn(&s, "judge-2"));
	CHECK(!run_state_turn(&s, "judge-3"));
	scene_close(&sc);
}

TEST_MAIN()
