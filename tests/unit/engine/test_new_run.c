#include "engine/scene.h"

static int try_new(const struct scene *sc, struct err *e)
{
	AUTO_STR struct str made = STR_INIT;
	const struct engine_new spec = { .task_dir = sc->task, .run_dir = sc->run };
	return engine_new_run(&spec, &made, e);
}

TEST(a_new_run_is_frozen_and_says_what_it_starts_from)
{
	struct scene sc;
	scene_open(&sc);
	scene_new(&sc);
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	CHECK_TEXT(s.task_name, "powers");
	CHECK_TEXT(s.started_from, "nothing");
	CHECK_TEXT(s.reference.mode, "source");
	CHECK_INT(s.nr_events, 1);
	AUTO_FREE char *copy = path_join(sc.run, "task/description.md");
	CHECK(file_exists(copy));
	scene_close(&sc);
}

TEST(a_taken_place_is_refused_and_left_alone)
{
	struct scene sc;
	struct err e = { 0 };
	scene_open(&sc);
	scene_new(&sc);
	CHECK(try_new(&sc, &e) < 0);
	CHECK_INT(e.kind, ERR_CONFLICT);
	scene_close(&sc);
}

TEST(a_task_that_does_not_pass_the_lint_makes_no_run)
{
	struct scene sc;
	struct err e = { 0 };
	scene_open(&sc);
	scene_write(&sc, "shapes.json", "{\"version\":1,\"shapes\":[],\"groups\":[]}");
	CHECK(try_new(&sc, &e) < 0);
	CHECK(strstr(e.text, "shapes.json"));
	CHECK(!file_exists(sc.run));
	AUTO_STRV struct strv names = { 0 };
	CHECK_OK(dir_list(sc.dir, &names, &e));
	CHECK_INT(names.nr, 1); /* the task alone: no draft stays behind */
	scene_close(&sc);
}

TEST(the_plan_counts_and_touches_nothing)
{
	struct scene sc;
	struct err e = { 0 };
	scene_open(&sc);
	AUTO_PLAN struct plan p = { 0 };
	CHECK_OK(engine_plan(sc.task, &p, &e));
	CHECK_INT(p.nr_stages, 7);
	CHECK_INT(p.nr_shapes, 3);
	CHECK_INT(p.nr_held_out, 1);
	CHECK_INT(p.nr_cases, 9);
	CHECK_TEXT(p.denied.items[0], "the source of the reference");
	CHECK(p.worst_s > 0.5 * 3600);
	AUTO_STRV struct strv names = { 0 };
	CHECK_OK(dir_list(sc.dir, &names, &e));
	CHECK_INT(names.nr, 1);
	scene_close(&sc);
}

TEST(a_plan_with_the_embedded_agents_costs_no_money)
{
	struct scene sc;
	struct err e = { 0 };
	scene_open(&sc);
	AUTO_FREE char *path = path_join(sc.task, "task.toml");
	AUTO_STR struct str text = STR_INIT;
	CHECK_OK(file_read(path, 1 << 20, &text, &e));
	AUTO_FREE char *to = xasprintf("%.*s[agents]\nteacher = \"tuner\"\nstudent = \"tuner\"\n",
				       (int)(strstr(text.text, "[agents]") - text.text), text.text);
	AUTO_PLAN struct plan with_money = { 0 };
	CHECK_OK(engine_plan(sc.task, &with_money, &e));
	CHECK(with_money.worst_usd > 0);
	CHECK_OK(file_write_text(path, to, &e));
	AUTO_PLAN struct plan p = { 0 };
	CHECK_OK(engine_plan(sc.task, &p, &e));
	CHECK(p.worst_usd == 0 && p.worst_tokens == 0);
	CHECK(strstr(p.notes.items[0], "cost no money"));
	scene_close(&sc);
}

TEST(a_folder_that_is_no_run_is_named)
{
	struct scene sc;
	scene_open(&sc);
	CHECK(scene_run(&sc) < 0);
	CHECK(strstr(sc.e.text, "not a run directory"));
	scene_close(&sc);
}

TEST(a_job_by_hand_calibrates_once_per_work_folder)
{
	struct scene sc;
	scene_open(&sc);
	AUTO_FREE char *work = path_join(sc.dir, "work");
	AUTO_FREE char *kernel = path_join(sc.dir, "kernel.c");
	struct err e = { 0 };
	CHECK_OK(file_write_text(kernel, "FAKE speedup=3", &e));
	const struct engine_hand hand = {
		.task_dir = sc.task, .candidate = kernel, .kind = JOB_TIME, .work_dir = work
	};
	for (int i = 0; i < 2; i++) {
		AUTO_ENGINE_ANSWER struct engine_answer answer = { 0 };
		CHECK_OK(engine_by_hand(&hand, &sc.host, NULL, &answer, &e));
		CHECK_TEXT(answer.estimate.call, "faster");
		CHECK(answer.estimate.speedup > 2.9 && answer.estimate.speedup < 3.1);
	}
	AUTO_FREE char *result = path_join(work, "calibrate/result.json");
	CHECK(file_exists(result));
	scene_close(&sc);
}

TEST_MAIN()
