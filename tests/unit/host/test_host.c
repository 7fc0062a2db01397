#include "host/host.h"

#include <sys/stat.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "model/job.h"
#include "model/result.h"
#include "test.h"

/*
 * The worker is a shell script. It is called with "run BUNDLE" or "probe" and finds a good answer
 * in BUNDLE/good.json; tries are counted in BUNDLE/tries.
 */
struct fixture {
	char dir[32];
	char *bundle;
	char *worker;
	struct host_spec spec;
};

static void make_answer(const struct fixture *f, const char *job_id)
{
	struct err e = { 0 };
	AUTO_FREE char *dir = path_join(f->dir, "answer");
	AUTO_FREE char *from = path_join(dir, "result.json");
	AUTO_FREE char *to = path_join(f->bundle, "good.json");
	AUTO_FREE char *samples = path_join(dir, "samples.csv");
	AUTO_FREE char *samples_to = path_join(f->bundle, "good.csv");
	AUTO_RESULT struct result r = { .job_id = job_id,
					.verdict = { .state = VERDICT_PASS, .reason = REASON_ok } };
	CHECK_OK(dir_make(dir, &e));
	CHECK_OK(result_save(&r, dir, &e));
	CHECK_OK(file_copy(from, to, &e));
	if (file_exists(samples))
		CHECK_OK(file_copy(samples, samples_to, &e));
}

static void fixture_init(struct fixture *f, const char *script)
{
	struct err e = { 0 };
	*f = (struct fixture){ .dir = "/tmp/forge-test-XXXXXX" };
	CHECK(mkdtemp(f->dir));
	f->bundle = path_join(f->dir, "bundle");
	f->worker = path_join(f->dir, "worker");
	CHECK_OK(dir_make(f->bundle, &e));
	struct job job = { .id = "r0001-screen",
			   .kind = JOB_TIME,
			   .seed = 1,
			   .replicates = 2,
			   .rounds = 3,
			   .deadline_s = 60 };
	CHECK_OK(job_save(&job, f->bundle, &e));
	make_answer(f, "r0001-screen");
	AUTO_FREE char *text =
		xasprintf("#!/bin/sh\nanswer() { cp \"$1/good.json\" \"$1/result.json\"; "
			  "[ ! -f \"$1/good.csv\" ] || cp \"$1/good.csv\" \"$1/samples.csv\"; }\n"
			  "[ \"$1\" = run ] && echo x >>\"$2/tries\"\n%s\n",
			  script);
	CHECK_OK(file_write_text(f->worker, text, &e));
	CHECK(chmod(f->worker, 0755) == 0);
	f->spec = (struct host_spec){ .bundle_dir = f->bundle, .worker_path = f->worker };
}

static void fixture_release(struct fixture *f)
{
	struct err e = { 0 };
	CHECK_OK(tree_remove(f->dir, &e));
	free(f->bundle);
	free(f->worker);
}

static size_t tries(const struct fixture *f)
{
	struct err e = { 0 };
	AUTO_FREE char *path = path_join(f->bundle, "tries");
	AUTO_STR struct str text = STR_INIT;
	CHECK_OK(file_read(path, 1000, &text, &e));
	return text.len / 2;
}

static void count_progress(const json_t *progress, void *ctx)
{
	int64_t *sum = ctx;
	*sum += json_int_or(progress, "done", 0);
}

TEST(a_job_that_answers_is_done_at_once)
{
	struct fixture f;
	fixture_init(&f, "echo '{\"done\":1,\"progress\":\"judge\",\"total\":2}'\necho noise\n"
			 "echo '{\"done\":2,\"progress\":\"judge\",\"total\":2}'\nanswer \"$2\"");
	struct err e = { 0 };
	int64_t sum = 0;
	struct host_watch watch = { .progress = count_progress, .ctx = &sum };
	struct host_outcome outcome;
	CHECK_OK(host_run_job(&host_local, &f.spec, &watch, &outcome, &e));
	CHECK_INT(outcome.attempts, 1);
	CHECK_INT(sum, 3);
	fixture_release(&f);
}

TEST(an_answer_about_a_bad_candidate_or_a_failed_job_is_an_answer)
{
	struct fixture f;
	fixture_init(&f, "answer \"$2\"\nexit 1");
	struct err e = { 0 };
	struct host_outcome outcome;
	CHECK_OK(host_run_job(&host_local, &f.spec, NULL, &outcome, &e));
	CHECK_INT(outcome.attempts, 1);
	fixture_release(&f);
}

TEST(a_worker_that_was_killed_is_started_again)
{
	struct fixture f;
	fixture_init(&f, "[ $(wc -l <\"$2/tries\") -ge 3 ] || kill -9 $$\nanswer \"$2\"");
	struct err e = { 0 };
	struct host_outcome outcome;
	CHECK_OK(host_run_job(&host_local, &f.spec, NULL, &outcome, &e));
	CHECK_INT(outcome.attempts, 3);
	CHECK_INT(tries(&f), 3);
	fixture_release(&f);
}

TEST(a_worker_that_leaves_no_answer_is_tried_four_times_and_no_more)
{
	struct fixture f;
	fixture_init(&f, "exit 0");
	struct err e = { 0 };
	struct host_outcome outcome;
	CHECK(host_run_job(&host_local, &f.spec, NULL, &outcome, &e) < 0);
	CHECK_INT(tries(&f), 1 + HOST_MAX_RETRIES);
	CHECK(strstr(e.text, "result.json"));
	CHECK(!outcome.is_stopped);
	fixture_release(&f);
}

TEST(a_torn_or_foreign_answer_is_no_answer)
{
	static const char *const scripts[] = {
		"head -c 40 \"$2/good.json\" >\"$2/result.json\"",
		"sed 's/r0001-screen/r0002-screen/' \"$2/good.json\" >\"$2/result.json\"; "
		"[ ! -f \"$2/good.csv\" ] || cp \"$2/good.csv\" \"$2/samples.csv\"",
	};
	for (size_t i = 0; i < ARRAY_LEN(scripts); i++) {
		struct fixture f;
		fixture_init(&f, scripts[i]);
		struct err e = { 0 };
		CHECK(host_run_job(&host_local, &f.spec, NULL, NULL, &e) < 0);
		CHECK_INT(tries(&f), 4);
		fixture_release(&f);
	}
}

TEST(an_old_answer_is_not_taken_for_a_new_one)
{
	struct fixture f;
	fixture_init(&f, "exit 64");
	struct err e = { 0 };
	AUTO_FREE char *good = path_join(f.bundle, "good.json");
	AUTO_FREE char *old = path_join(f.bundle, "result.json");
	CHECK_OK(file_copy(good, old, &e));
	CHECK(host_run_job(&host_local, &f.spec, NULL, NULL, &e) < 0);
	CHECK(strstr(e.text, "64"));
	CHECK_INT(tries(&f), 1);
	fixture_release(&f);
}

TEST(a_worker_past_the_deadline_is_stopped)
{
	struct fixture f;
	fixture_init(&f, "sleep 60");
	struct err e = { 0 };
	f.spec.deadline_ns = 300 * NS_PER_MS;
	uint64_t start_ns = clock_mono_ns();
	CHECK(host_run_job(&host_local, &f.spec, NULL, NULL, &e) < 0);
	CHECK_INT(e.kind, ERR_TIMEOUT);
	CHECK_INT(tries(&f), 1);
	CHECK(clock_mono_ns() - start_ns < 20 * NS_PER_S);
	fixture_release(&f);
}

static volatile sig_atomic_t stop_now;

static void on_alarm(int signal_nr)
{
	(void)signal_nr;
	stop_now = 1;
}

TEST(a_stop_ends_the_worker_and_says_so)
{
	struct fixture f;
	fixture_init(&f, "sleep 60");
	struct err e = { 0 };
	struct host_outcome outcome;
	signal(SIGALRM, on_alarm);
	alarm(1);
	f.spec.stop = &stop_now;
	CHECK(host_run_job(&host_local, &f.spec, NULL, &outcome, &e) < 0);
	CHECK(outcome.is_stopped);
	CHECK_INT(outcome.attempts, 1);
	fixture_release(&f);
}

TEST(a_worker_that_is_not_there_is_an_error_that_names_it)
{
	struct fixture f;
	fixture_init(&f, "");
	struct err e = { 0 };
	f.spec.worker_path = "/nowhere/forge-worker";
	CHECK(host_run_job(&host_local, &f.spec, NULL, NULL, &e) < 0);
	CHECK(strstr(e.text, "/nowhere/forge-worker"));
	fixture_release(&f);
}

TEST(the_worker_sees_a_short_environment)
{
	struct fixture f;
	fixture_init(&f, "env >\"$2/env\"; answer \"$2\"");
	struct err e = { 0 };
	setenv("OMP_NUM_THREADS", "7", 1);
	setenv("SECRET_KEY", "x", 1);
	f.spec.cache_dir = "/some/cache";
	CHECK_OK(host_run_job(&host_local, &f.spec, NULL, NULL, &e));
	AUTO_FREE char *path = path_join(f.bundle, "env");
	AUTO_STR struct str env = STR_INIT;
	CHECK_OK(file_read(path, 1 << 16, &env, &e));
	CHECK(strstr(env.text, "FORGE_CACHE=/some/cache\n"));
	CHECK(!strstr(env.text, "OMP_") && !strstr(env.text, "SECRET_KEY"));
	fixture_release(&f);
}

TEST(what_the_worker_says_on_stderr_is_kept)
{
	struct fixture f;
	fixture_init(&f, "echo trouble >&2; answer \"$2\"");
	struct err e = { 0 };
	CHECK_OK(host_run_job(&host_local, &f.spec, NULL, NULL, &e));
	AUTO_FREE char *path = path_join(f.bundle, "log/worker.log");
	AUTO_STR struct str text = STR_INIT;
	CHECK_OK(file_read(path, 1000, &text, &e));
	CHECK_TEXT(text.text, "trouble\n");
	fixture_release(&f);
}

TEST(a_probe_is_json_or_an_error)
{
	struct fixture f;
	fixture_init(&f, "[ \"$1\" = probe ] && echo '{\"cpu\": \"x\"}'");
	struct err e = { 0 };
	AUTO_JSON json_t *machine = host_local.probe(&f.spec, &e);
	CHECK(machine != NULL);
	CHECK_TEXT(json_text_or(machine, "cpu", ""), "x");
	fixture_release(&f);
	fixture_init(&f, "echo broken >&2; exit 3");
	CHECK(!host_local.probe(&f.spec, &e));
	CHECK(strstr(e.text, "broken") && strstr(e.text, "exit 3"));
	fixture_release(&f);
}

TEST(hosts_are_found_by_name)
{
	CHECK(host_find("local") == &host_local);
	CHECK(!host_find("nowhere"));
}

TEST_MAIN()
