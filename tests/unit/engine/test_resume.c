#include "engine/scene.h"

#include <sys/stat.h>

/* Resume: whatever the instant, the outcome is that of an undisturbed run, and nothing that was
 * recorded is paid for twice. */

static unsigned count_lines(const struct str *text, const char *line)
{
	unsigned nr = 0;
	for (const char *at = strstr(text->text, line); at; at = strstr(at + 1, line))
		nr++;
	return nr;
}

static void check_like_undisturbed(const struct scene *sc)
{
	CHECK_VERDICTS(sc, scene_usual_verdicts);
	AUTO_RUN_STATE struct run_state s;
	scene_state(sc, &s);
	CHECK(s.is_goal_met);
	CHECK_INT(s.nr_bests, 2);
	CHECK_INT(s.teacher_usage.turns, 1);
	CHECK_INT(s.student_usage.turns, 7);
	CHECK_INT(s.nr_gates, 2);
}

TEST(a_run_killed_after_every_event_ends_like_an_undisturbed_one)
{
	struct scene sc;
	scene_open(&sc);
	scene_student(&sc, scene_usual);
	scene_new(&sc);
	unsigned sessions = 0;
	/* run_started and one event more: every boundary is hit. Every other session gets one more
	 * still, since a job takes two events. */
	while (!scene_session(&sc, 2 + sessions % 2))
		CHECK(++sessions < 400);
	printf("# %u sessions\n", sessions);
	CHECK(sessions > 50);
	check_like_undisturbed(&sc);
	scene_close(&sc);
}

/* M1 ends with a kernel that is wrong after all, one that its screen flattered, and one below it
 * that is decided because of that. */
static const char *const misled[] = { "FAKE speedup=2",
				      "FAKE speedup=3",
				      "FAKE speedup=8 FAKE decided=2.5",
				      "FAKE speedup=9 FAKE decide=wrong_value",
				      "handback",
				      NULL };

static void check_misled(const struct scene *sc)
{
	CHECK_VERDICTS(sc, "1 D0.1 base 0 ok kept best\n"
			   "2 D1.1 base 1 ok kept best\n"
			   "3 D1.2 base 2 ok kept best\n"
			   "4 D1.3 base 3 wrong_value rolled_back\n"
			   "5 D1.4 base 4 handback no_candidate\n"
			   "6 D1.5 base 4 give_up no_candidate\n"
			   "7 D1.6 base 4 give_up no_candidate\n");
	CHECK_DECISIONS(sc, "r0001-decide r0004-decide r0003-decide r0002-decide "
			    "best 1 best 3 best 2 ");
}

TEST(decisions_after_kills_are_those_of_an_undisturbed_run)
{
	struct scene sc;
	scene_open(&sc);
	scene_student(&sc, misled);
	scene_new(&sc);
	scene_run_ok(&sc);
	check_misled(&sc);
	scene_close(&sc);
	scene_open(&sc);
	scene_student(&sc, misled);
	scene_new(&sc);
	unsigned sessions = 0;
	while (!scene_session(&sc, 2 + sessions % 2))
		CHECK(++sessions < 400);
	check_misled(&sc);
	scene_close(&sc);
}

TEST(no_measurement_is_repeated_after_a_kill)
{
	struct scene sc;
	scene_open(&sc);
	scene_student(&sc, scene_usual);
	scene_new(&sc);
	while (!scene_session(&sc, 7))
		;
	check_like_undisturbed(&sc);
	AUTO_STR struct str jobs = STR_INIT;
	scene_jobs(&sc, &jobs);
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	for (size_t i = 0; i < s.nr_jobs; i++) {
		AUTO_FREE char *line = xasprintf("%s\n", s.jobs[i].id);
		CHECK_INT(count_lines(&jobs, line), 1);
	}
	scene_close(&sc);
}

TEST(a_job_that_fails_is_tried_twice_whatever_is_killed_between)
{
	static const char *const broken[] = { "FAKE error=broken", "FAKE speedup=4", NULL };
	struct scene sc;
	scene_open(&sc);
	scene_student(&sc, broken);
	scene_new(&sc);
	for (unsigned sessions = 0; !scene_session(&sc, 2 + sessions % 2); sessions++)
		CHECK(sessions < 400);
	AUTO_STR struct str jobs = STR_INIT;
	AUTO_RUN_STATE struct run_state s;
	scene_jobs(&sc, &jobs);
	scene_state(&sc, &s);
	CHECK_INT(count_lines(&jobs, "r0001-screen\n"), 2);
	CHECK_INT(run_state_job(&s, "r0001-screen")->nr_failed, 2);
	scene_close(&sc);
}

TEST(a_part_of_a_file_that_a_kill_left_is_not_frozen)
{
	struct scene sc;
	scene_open(&sc);
	scene_student(&sc, scene_usual);
	scene_new(&sc);
	AUTO_FREE char *stray = path_join(sc.run, "check/judge.c.tmp7");
	struct err e = { 0 };
	CHECK_OK(file_write_text(stray, "int x", &e));
	scene_run_ok(&sc);
	CHECK(!file_exists(stray));
	check_like_undisturbed(&sc);
	scene_close(&sc);
}

/* Its teacher has a probe measured in its first turn, and a probe and an ablation in its second. */
TEST(a_teacher_that_is_killed_while_it_has_things_measured_pays_for_nothing_twice)
{
	struct scene sc;
	scene_open(&sc);
	scene_asking_teacher(&sc);
	scene_new(&sc);
	unsigned sessions = 0;
	while (!scene_session(&sc, 2 + sessions % 2))
		CHECK(++sessions < 400);
	printf("# %u sessions\n", sessions);
	CHECK(sessions > 40);
	AUTO_STR struct str jobs = STR_INIT;
	scene_jobs(&sc, &jobs);
	for (unsigned i = 1; i <= 3; i++) {
		AUTO_FREE char *line = xasprintf("tool-%04u\n", i);
		CHECK_INT(count_lines(&jobs, line), 1);
	}
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	CHECK_INT(s.nr_tools, 3);
	CHECK_INT(s.nr_metas, 2);
	CHECK_INT(s.teacher_usage.turns, 3);
	CHECK(s.tools[2].answer != NULL);
	scene_close(&sc);
}

struct stopper {
	volatile sig_atomic_t signal;
	unsigned left;
};

static void stop_at_event(void *ctx, const struct event *ev, const struct run_state *s)
{
	struct stopper *stop = ctx;
	(void)ev;
	(void)s;
	if (stop->left && --stop->left == 0)
		stop->signal = SIGINT;
}

TEST(a_signal_ends_a_session_cleanly_and_the_next_goes_on)
{
	struct scene sc;
	scene_open(&sc);
	scene_student(&sc, scene_usual);
	scene_new(&sc);
	unsigned sessions = 0;
	do {
		struct stopper stop = { .left = 11 };
		sc.hooks.see_event = stop_at_event;
		sc.hooks.ctx = &stop;
		sc.hooks.stop_signal = &stop.signal;
		scene_run_ok(&sc);
		if (sc.outcome != ENGINE_INTERRUPTED)
			break;
		AUTO_RUN_STATE struct run_state s;
		scene_state(&sc, &s);
		CHECK(s.is_interrupted);
	} while (++sessions < 50);
	CHECK(sessions > 5 && sessions < 50);
	check_like_undisturbed(&sc);
	scene_close(&sc);
}

TEST(an_ended_run_is_told_again_and_not_run_again)
{
	struct scene sc;
	scene_open(&sc);
	scene_student(&sc, scene_usual);
	scene_new(&sc);
	scene_run_ok(&sc);
	AUTO_RUN_STATE struct run_state before;
	scene_state(&sc, &before);
	sc.outcome = ENGINE_INTERRUPTED;
	scene_run_ok(&sc);
	CHECK_INT(sc.outcome, ENGINE_GOAL_MET);
	AUTO_RUN_STATE struct run_state after;
	scene_state(&sc, &after);
	CHECK_INT(after.nr_events, before.nr_events);
	scene_close(&sc);
}

/* A run that was killed right after its fifth round's screen. */
static void half_run(struct scene *sc)
{
	scene_open(sc);
	scene_student(sc, scene_usual);
	scene_new(sc);
	CHECK(!scene_session(sc, 50));
}

static const char other_machine[] =
	"#!/bin/sh\n[ \"$1\" = probe ] && echo '{\"cpu\":\"another\",\"cores\":2,"
	"\"kernel\":\"0\"}' && exit 0\n"
	"exec tests/fake/fake-worker \"$@\"\n";

TEST(a_run_taken_up_on_another_machine_says_so)
{
	struct scene sc;
	struct err e = { 0 };
	half_run(&sc);
	AUTO_FREE char *worker = path_join(sc.dir, "worker");
	CHECK_OK(file_write_text(worker, other_machine, &e));
	CHECK_INT(chmod(worker, 0755), 0);
	sc.host.worker_path = worker;
	scene_run_ok(&sc);
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	CHECK_INT(s.warnings.nr, 1);
	CHECK(strstr(s.warnings.items[0], "fake cpu, now another"));
	scene_close(&sc);
}

static void append(const struct scene *sc, const char *name, const char *text)
{
	AUTO_FREE char *path = path_join(sc->run, name);
	AUTO_FCLOSE FILE *file = fopen(path, "ae");
	CHECK(file);
	fputs(text, file);
}

TEST(a_torn_log_is_repaired_and_the_run_goes_on)
{
	struct scene sc;
	half_run(&sc);
	append(&sc, "events.jsonl", "{\"body\":{\"job\":\"r0");
	scene_run_ok(&sc);
	check_like_undisturbed(&sc);
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	CHECK_INT(s.nr_repairs, 1);
	scene_close(&sc);
}

/* What was changed between two sessions, and what the refusal must name. */
static const struct {
	const char *file;
	const char *named;
} changed[] = {
	{ "task/shapes.json", "/task: changed after it was frozen" },
	{ "check/judge.c", "/check/judge.c: changed after it was frozen" },
	{ "check/tolerances.json", "/check/tolerances.json: changed after it was frozen" },
	{ "reference/kernel.c", "reference/kernel.c: changed after it was frozen" },
	{ "curriculum/v1.toml", "v1.toml: changed after it was published" },
	{ "rounds/0001/kernel.c", "kernel.c: changed after the structure was frozen with it" },
	{ "rounds/0001/decide/result.json", "result.json: changed after it was recorded" },
};

TEST(a_run_refuses_to_go_on_when_what_it_rests_on_changed)
{
	for (size_t i = 0; i < ARRAY_LEN(changed); i++) {
		struct scene sc;
		half_run(&sc);
		append(&sc, changed[i].file, " \n");
		CHECK(scene_run(&sc) < 0);
		printf("# %s\n", sc.e.text);
		CHECK_INT(sc.e.kind, ERR_CONFLICT);
		CHECK(strstr(sc.e.text, changed[i].named));
		scene_close(&sc);
	}
}

/* An ended run, and a kernel that is judged or timed by hand on its judge. */
static void check_refused_after_the_end(struct scene *sc, const char *file, const char *named)
{
	struct err e = { 0 };
	AUTO_FREE char *kernel = path_join(sc->run, "best/kernel.c");
	append(sc, file, " \n");
	CHECK(scene_run(sc) < 0);
	CHECK(strstr(sc->e.text, named));
	for (int kind = JOB_JUDGE; kind <= JOB_TIME; kind++) {
		AUTO_ENGINE_ANSWER struct engine_answer answer = { 0 };
		const struct engine_hand hand = { .task_dir = sc->run,
						  .candidate = kernel,
						  .kind = (enum job_kind)kind };
		CHECK(engine_by_hand(&hand, &sc->host, NULL, &answer, &e) < 0);
		CHECK_INT(e.kind, ERR_CONFLICT);
		CHECK(strstr(e.text, named));
	}
}

TEST(what_was_frozen_is_verified_after_the_end_and_by_hand)
{
	enum { NR_FROZEN = 4 };
	struct err e = { 0 };
	struct scene sc;
	scene_open(&sc);
	scene_student(&sc, scene_usual);
	scene_new(&sc);
	scene_run_ok(&sc);
	AUTO_FREE char *kept = path_join(sc.dir, "kept");
	for (size_t i = 0; i < NR_FROZEN; i++) {
		AUTO_FREE char *path = path_join(sc.run, changed[i].file);
		CHECK_OK(file_copy(path, kept, &e));
		check_refused_after_the_end(&sc, changed[i].file, changed[i].named);
		CHECK_OK(file_copy(kept, path, &e));
	}
	scene_run_ok(&sc);
	scene_close(&sc);
}

static void try_second(void *ctx, const struct event *ev, const struct run_state *s)
{
	const struct scene *sc = ctx;
	(void)s;
	if (ev->type != EVENT_goal_set)
		return;
	enum engine_outcome outcome;
	struct err e = { 0 };
	CHECK(engine_run(sc->run, &sc->host, NULL, &outcome, &e) < 0);
	CHECK_INT(e.kind, ERR_CONFLICT);
	CHECK(strstr(e.text, "in use by process"));
}

TEST(a_second_forge_on_the_same_run_is_refused)
{
	struct scene sc;
	scene_open(&sc);
	scene_student(&sc, scene_usual);
	scene_new(&sc);
	sc.hooks.see_event = try_second;
	sc.hooks.ctx = &sc;
	scene_run_ok(&sc);
	scene_close(&sc);
}

TEST_MAIN()
