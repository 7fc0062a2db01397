#include "engine/evolve.h"
#include "engine/scene.h"
#include "engine/verify.h"
#include "sys/proc.h"

/* A blackbox reference with a marker in it: where on disk does its text stand? */
static const char marker[] = "QZSEALEDTEXT";

static void scene_blackbox(struct scene *sc)
{
	struct err e = { 0 };
	AUTO_STR struct str toml = STR_INIT;
	AUTO_STR struct str source = STR_INIT;
	scene_open(sc);
	scene_student(sc, scene_usual);
	AUTO_FREE char *path = path_join(sc->task, "task.toml");
	AUTO_FREE char *reference = path_join(sc->task, "reference/powers.c");
	CHECK_OK(file_read(path, 1 << 20, &toml, &e));
	CHECK_OK(file_read(reference, 1 << 20, &source, &e));
	char *at = strstr(toml.text, "source = true");
	CHECK(at);
	*at = '#'; /* blackbox is what is left without it */
	CHECK_OK(file_write(path, toml.text, toml.len, &e));
	str_addf(&source, "/* %s */\n", marker);
	CHECK_OK(file_write(reference, source.text, source.len, &e));
}

/* Files below `dir` that hold the marker. */
static size_t nr_files_with_marker(const char *dir)
{
	struct err e = { 0 };
	AUTO_PROC_RESULT struct proc_result r = { 0 };
	const char *const argv[] = { "grep", "-rlF", marker, dir, NULL };
	const struct proc_spec spec = { .argv = argv, .deadline_ns = 20000000000u };
	size_t nr = 0;
	CHECK_OK(proc_run(&r, &spec, &e));
	for (size_t i = 0; i < r.out.len; i++)
		nr += r.out.text[i] == '\n';
	return nr;
}

TEST(a_whole_run_leaves_the_text_of_a_blackbox_reference_nowhere)
{
	struct scene sc;
	scene_blackbox(&sc);
	CHECK_INT(nr_files_with_marker(sc.task), 1);
	scene_new(&sc);
	CHECK_INT(nr_files_with_marker(sc.run), 0);
	scene_run_ok(&sc);
	CHECK_VERDICTS(&sc, scene_usual_verdicts);
	CHECK_INT(nr_files_with_marker(sc.run), 0);
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	CHECK_TEXT(s.reference.mode, "blackbox");
	scene_close(&sc);
}

static void die_in_job(void *ctx, const struct event *ev, const struct run_state *s)
{
	(void)ctx;
	(void)s;
	if (ev->type == EVENT_job_started)
		_exit(9);
}

TEST(a_bundle_that_a_killed_forge_left_open_is_closed_by_the_next_one)
{
	struct scene sc;
	scene_blackbox(&sc);
	scene_new(&sc);
	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		sc.hooks.see_event = die_in_job;
		scene_run(&sc);
		_exit(0);
	}
	int status = 0;
	waitpid(pid, &status, 0);
	CHECK_INT(WEXITSTATUS(status), 9);
	/* The job was about to start: its worker needs the text. */
	CHECK_INT(nr_files_with_marker(sc.run), 1);
	scene_run_ok(&sc);
	CHECK_INT(nr_files_with_marker(sc.run), 0);
	scene_close(&sc);
}

/* What the student submits in generation 0 and in generation 1. */
static void answer_generations(const struct scene *sc)
{
	static const char format[] =
		"/* FAKE speedup=%d */\nvoid powers(const float *x, const float "
		"*c, float *y, int64_t n, int64_t m)\n{\n}\n";
	struct err e = { 0 };
	AUTO_FREE char *from = path_join(sc->task, "replay");
	AUTO_FREE char *to = path_join(sc->task, "replay-g1");
	AUTO_FREE char *second = xasprintf(format, 4);
	AUTO_FREE char *first = xasprintf(format, 2);
	AUTO_JSON json_t *row = json_pack("{s:s, s:s}", "type", "submit", "source", second);
	AUTO_FREE char *line = json_line(row);
	scene_student(sc, (const char *const[]){ first, NULL });
	CHECK_OK(tree_copy(from, to, &e));
	scene_write(sc, "replay-g1/student.jsonl", line);
}

TEST(a_chain_from_a_blackbox_reference_holds_its_text_nowhere_either)
{
	struct scene sc;
	struct err e = { 0 };
	AUTO_STR struct str made = STR_INIT;
	scene_blackbox(&sc);
	answer_generations(&sc);
	AUTO_FREE char *chain = path_join(sc.dir, "chain");
	const struct evolve_hooks hooks = { .run = sc.hooks };
	const struct evolve_new spec = { .task_dir = sc.task, .chain_dir = chain, .seed = 42 };
	CHECK_OK(evolve_new(&spec, &made, &e));
	CHECK_OK(evolve_run(chain, &sc.host, &hooks, &sc.outcome, &e));
	CHECK_INT(nr_files_with_marker(chain), 0);
	AUTO_FREE char *direct = path_join(chain, "direct/g1/job/result.json");
	CHECK(file_exists(direct));
	AUTO_FREE char *next = path_join(chain, "powers-g1/task.toml");
	AUTO_STR struct str toml = STR_INIT;
	CHECK_OK(file_read(next, 1 << 20, &toml, &e));
	CHECK(strstr(toml.text, "source = true"));
	scene_close(&sc);
}

TEST(without_its_key_a_run_says_so_and_measures_nothing)
{
	struct scene sc;
	scene_blackbox(&sc);
	scene_new(&sc);
	AUTO_FREE char *elsewhere = path_join(sc.dir, "elsewhere");
	setenv("FORGE_KEYS", elsewhere, 1);
	CHECK(scene_run(&sc) < 0);
	CHECK(strstr(sc.e.text, "only who sealed it can measure it"));
	scene_close(&sc);
}

static enum verify_outcome verified(const struct scene *sc, const char *dir)
{
	struct err e = { 0 };
	AUTO_VERIFY_ANSWER struct verify_answer a;
	const struct verify_spec spec = { .dir = dir };
	CHECK_OK(verify_claim(&spec, &sc->host, &sc->hooks, &a, &e));
	printf("# %s\n", a.why.text);
	return a.outcome;
}

/* A claim whose reference nobody else can open is nobody else's to measure, but for a copy in the
 * clear that has to be what was measured. */
TEST(an_opened_reference_stands_in_for_the_key_and_no_other_does)
{
	static const char *const student[] = { "FAKE speedup=4 FAKE tells_reference=1", NULL };
	struct scene sc;
	struct err e = { 0 };
	AUTO_VERIFY_ANSWER struct verify_answer refused;
	scene_blackbox(&sc);
	scene_student(&sc, student);
	scene_new(&sc);
	scene_run_ok(&sc);
	AUTO_FREE char *best = path_join(sc.run, "best");
	AUTO_FREE char *opened = path_join(best, "reference/opened");
	AUTO_FREE char *clear = path_join(sc.task, "reference/powers.c");
	AUTO_FREE char *elsewhere = path_join(sc.dir, "elsewhere");
	const struct verify_spec spec = { .dir = best };
	setenv("FORGE_KEYS", elsewhere, 1);
	CHECK(verify_claim(&spec, &sc.host, &sc.hooks, &refused, &e) < 0);
	CHECK(strstr(e.text, "only who sealed it can measure it"));
	CHECK_OK(file_copy(clear, opened, &e));
	CHECK_INT(verified(&sc, best), VERIFY_REPRODUCED);
	CHECK_OK(file_write_text(opened, "/* slow */\n", &e));
	CHECK_INT(verified(&sc, best), VERIFY_BROKEN);
	scene_close(&sc);
}

/* What the chain holds in the clear needs no second opinion. */
TEST(beside_a_reference_in_the_clear_an_opened_one_is_not_looked_at)
{
	struct scene sc;
	struct err e = { 0 };
	scene_open(&sc);
	scene_student(&sc, (const char *const[]){ "FAKE speedup=4", NULL });
	scene_new(&sc);
	scene_run_ok(&sc);
	AUTO_FREE char *best = path_join(sc.run, "best");
	AUTO_FREE char *opened = path_join(best, "reference/opened");
	CHECK_OK(file_write_text(opened, "FAKE broken", &e));
	CHECK_INT(verified(&sc, best), VERIFY_REPRODUCED);
	scene_close(&sc);
}

TEST_MAIN()
