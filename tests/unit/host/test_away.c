#include "host/host.h"

#include "away.h"

/* Jobs on other machines: what holds for every driver that copies, then what is of each. */

static const struct host_ops *const drivers[] = { &host_ssh, &host_slurm, &host_spool };

#define EACH_DRIVER(a, script)                                                                     \
	for (size_t i_ = 0; i_ < ARRAY_LEN(drivers); i_++)                                         \
		for (bool once_ = (away_open((a), (script)), away_use((a), drivers[i_]), true);    \
		     once_; once_ = false, away_check_clean(a), away_close(a))

static void sum_done(const json_t *progress, void *ctx)
{
	int64_t *sum = ctx;
	*sum += json_int_or(progress, "done", 0);
}

TEST(a_job_elsewhere_brings_its_answer_and_leaves_nothing_there)
{
	struct away a;
	EACH_DRIVER(&a, "echo trouble >&2; answer \"$2\"")
	{
		struct err e = { 0 };
		AUTO_STR struct str log = STR_INIT;
		AUTO_FREE char *path = path_join(a.bundle, "log/worker.log");
		AUTO_RESULT struct result r = { 0 };
		if (away_run(&a, drivers[i_]) < 0)
			printf("# %s: %s\n", drivers[i_]->name, a.e.text);
		CHECK_OK(result_load(&r, a.bundle, &e));
		CHECK_TEXT(r.job_id, "r0001-screen");
		CHECK_OK(file_read(path, 1000, &log, &e));
		CHECK_TEXT(log.text, "trouble\n");
		CHECK_INT(a.outcome.attempts, 1);
		CHECK_INT(away_tries(&a), 1);
		CHECK(a.outcome.queue_s > 0);
	}
}

TEST(a_worker_that_fails_in_its_own_words_is_an_answer)
{
	struct away a;
	EACH_DRIVER(&a, "answer \"$2\"; exit 1")
	{
		CHECK(away_run(&a, drivers[i_]) == 0);
		CHECK_INT(away_tries(&a), 1);
	}
}

TEST(a_worker_that_was_killed_there_is_started_again)
{
	struct away a;
	EACH_DRIVER(&a, "[ $(wc -l < \"$top/tries\") -ge 2 ] || kill -9 $$\nanswer \"$2\"")
	{
		CHECK(away_run(&a, drivers[i_]) == 0);
		CHECK_INT(a.outcome.attempts, 2);
		CHECK_INT(away_tries(&a), 2);
	}
}

TEST(a_worker_past_the_deadline_is_ended_there)
{
	struct away a;
	EACH_DRIVER(&a, "sleep 60")
	{
		a.spec.deadline_ns = 300 * NS_PER_MS;
		CHECK(away_run(&a, drivers[i_]) < 0);
		CHECK_INT(a.e.kind, ERR_TIMEOUT);
		CHECK_INT(a.outcome.trouble, TROUBLE_timed_out);
		CHECK_INT(away_tries(&a), 1);
	}
}

TEST(a_probe_tells_of_the_machine_there)
{
	struct away a;
	EACH_DRIVER(&a, "exit 1")
	{
		AUTO_JSON json_t *machine =
			host_probe(drivers[i_], &a.spec, NULL, &a.outcome, &a.e);
		if (!machine)
			printf("# %s: %s\n", drivers[i_]->name, a.e.text);
		CHECK_TEXT(json_text_or(machine, "cpu", ""), "far");
	}
}

TEST(a_stop_ends_the_job_there)
{
	struct away a;
	AUTO_FREE char *run =
		xasprintf("echo $$ > \"$top/pid\"; kill -ALRM %d; exec sleep 60", (int)getpid());
	signal(SIGALRM, away_on_alarm);
	EACH_DRIVER(&a, run)
	{
		AUTO_FREE char *path = away_path(&a, "pid");
		AUTO_STR struct str pid = STR_INIT;
		struct err e = { 0 };
		a.spec.stop = away_stop();
		*away_stop() = 0;
		CHECK(away_run(&a, drivers[i_]) < 0);
		CHECK(a.outcome.is_stopped);
		if (drivers[i_] == &host_spool)
			continue; /* its worker belongs to somebody else */
		CHECK_OK(file_read(path, 100, &pid, &e));
		for (int i = 0; i < 100 && kill((pid_t)strtol(pid.text, NULL, 10), 0) == 0; i++)
			clock_sleep_ns(50 * NS_PER_MS);
		CHECK(kill((pid_t)strtol(pid.text, NULL, 10), 0) < 0);
	}
}

TEST(a_job_that_waits_is_cancelled_by_a_stop)
{
	struct away a;
	away_open(&a, "answer \"$2\"");
	unsetenv("REMOTE_HOST");
	away_write(&a, "host/hold", "");
	away_stop_soon();
	a.spec.stop = away_stop();
	CHECK(away_run(&a, &host_slurm) < 0);
	CHECK(a.outcome.is_stopped && a.outcome.queue_s > 0.3);
	struct err e = { 0 };
	AUTO_FREE char *path = away_path(&a, "host/jobs/1/state");
	AUTO_STR struct str state = STR_INIT;
	CHECK_OK(file_read(path, 100, &state, &e));
	CHECK(str_starts(state.text, "CANCELLED"));
	away_check_clean(&a);
	away_close(&a);
}

TEST(without_accounting_scontrol_tells_the_end)
{
	static const char *const knows[] = { "host/forgets", "host/accounting" };
	for (size_t i = 0; i < ARRAY_LEN(knows); i++) {
		struct away a;
		away_open(&a, "answer \"$2\"");
		unsetenv("REMOTE_HOST");
		away_write(&a, "host/forgets", "");
		away_write(&a, knows[i], "");
		CHECK(away_run(&a, &host_slurm) == 0);
		CHECK_INT(a.outcome.attempts, 1);
		away_check_clean(&a);
		away_close(&a);
	}
}

TEST(settings_reach_sbatch_as_its_options)
{
	struct away a;
	away_open(&a, "answer \"$2\"");
	unsetenv("REMOTE_HOST");
	setenv("SLURM_PARTITION", "big one", 1);
	setenv("SLURM_GRES", "gpu:1", 1);
	setenv("SLURM_EXCLUSIVE", "1", 1);
	setenv("SLURM_OPTIONS", "--nice=5 --hold", 1);
	CHECK(away_run(&a, &host_slurm) == 0);
	struct err e = { 0 };
	AUTO_FREE char *path = away_path(&a, "host/jobs/1/args");
	AUTO_STR struct str args = STR_INIT;
	CHECK_OK(file_read(path, 10000, &args, &e));
	CHECK(strstr(args.text, "--partition=big one\n") && strstr(args.text, "--gres=gpu:1\n"));
	CHECK(strstr(args.text, "--exclusive\n--nice=5\n--hold\n") &&
	      strstr(args.text, "--time=3\n"));
	away_close(&a);
}

/* Killed where it waits: what is in the queue is not queued again. */
TEST(a_job_in_a_queue_is_found_again_after_a_kill)
{
	struct away a;
	struct host_job *job = NULL;
	struct host_status st = { .end = HOST_RUNNING };
	away_open(&a, "answer \"$2\"");
	unsetenv("REMOTE_HOST");
	struct err e = { 0 };
	CHECK_OK(host_slurm.start(&job, &a.spec, &e));
	AUTO_FREE char *path = away_path(&a, "host/jobs/1/state");
	for (int i = 0; i < 200 && !file_exists(path); i++)
		CHECK_OK(host_slurm.poll(job, NS_PER_MS, NULL, &st, &e));
	CHECK(file_exists(path));
	/* Here forge is killed; another one comes. */
	CHECK(away_run(&a, &host_slurm) == 0);
	AUTO_FREE char *second = away_path(&a, "host/jobs/2");
	CHECK(!file_exists(second));
	CHECK_INT(away_tries(&a), 1);
	away_check_clean(&a);
	host_slurm.stop(&job);
	away_close(&a);
}

TEST(a_spool_that_is_carried_away_and_back_is_waited_for)
{
	struct away a;
	away_open(&a, "answer \"$2\"");
	AUTO_FREE char *there = away_path(&a, "there");
	AUTO_FREE char *worker = path_join(there, "kit/bin/forge-worker");
	away_stop_soon();
	a.spec.stop = away_stop();
	a.spec.can_resume = true;
	CHECK(away_run(&a, &host_spool) < 0);
	CHECK(a.outcome.is_stopped && a.outcome.queue_s > 0.3);
	struct err e = { 0 };
	CHECK_OK(tree_copy(a.spool, there, &e));
	const char *const argv[] = { worker, "spool", "--once", there, NULL };
	const struct proc_spec spec = { .argv = argv, .deadline_ns = 30 * NS_PER_S };
	AUTO_PROC_RESULT struct proc_result r = { 0 };
	CHECK_OK(proc_run(&r, &spec, &e));
	CHECK_INT(r.exit_code, 0);
	CHECK_OK(tree_remove(a.spool, &e));
	CHECK_OK(tree_copy(there, a.spool, &e));
	a.spec.stop = NULL;
	CHECK(away_run(&a, &host_spool) == 0);
	CHECK_INT(away_tries(&a), 1);
	CHECK_INT(a.outcome.attempts, 1);
	away_check_clean(&a);
	away_close(&a);
}

/* A run of a GPU asks first what the machine is, by a bundle without a kernel; whoever serves the
 * kit of that must be able to do what follows. */
TEST(the_kit_of_a_spool_has_what_runs_kernels_of_a_gpu_whatever_came_first)
{
	struct away a;
	struct host_job *job = NULL;
	struct err e = { 0 };
	away_open(&a, "answer \"$2\"");
	AUTO_FREE char *ours = away_path(&a, "programs");
	AUTO_FREE char *worker = path_join(ours, "forge-worker");
	AUTO_FREE char *recorder = path_join(ours, "forge-runner-cuda");
	AUTO_FREE char *there = path_join(a.spool, "kit/bin/forge-runner-cuda");
	AUTO_STR struct str text = STR_INIT;
	CHECK_OK(dir_make(ours, &e));
	CHECK_OK(file_write_text(worker, "a worker", &e));
	a.spec.worker_path = worker;
	CHECK_OK(host_spool.start(&job, &a.spec, &e)); /* a kit of before there was any */
	host_spool.stop(&job);
	for (int i = 0; i < 2; i++) {
		CHECK_OK(file_write_text(recorder, i ? "another" : "one", &e));
		CHECK_OK(host_spool.start(&job, &a.spec, &e));
		host_spool.stop(&job);
		str_clear(&text);
		CHECK_OK(file_read(there, 100, &text, &e));
		CHECK_TEXT(text.text, i ? "another" : "one");
	}
	away_close(&a);
}

/* Judges and kernels of narrow floats include another one than kernel.h. */
TEST(all_headers_that_sources_include_are_in_a_kit)
{
	struct away a;
	struct host_job *job = NULL;
	struct err e = { 0 };
	static const char *const names[] = { "kernel.h", "small_float.h" };
	away_open(&a, "answer \"$2\"");
	AUTO_FREE char *ours = away_path(&a, "programs");
	AUTO_FREE char *worker = path_join(ours, "forge-worker");
	AUTO_FREE char *headers = away_path(&a, "share/forge/include/forge");
	AUTO_FREE char *there = path_join(a.spool, "kit/share/forge/include/forge");
	CHECK_OK(dir_make(ours, &e));
	CHECK_OK(dir_make(headers, &e));
	CHECK_OK(file_write_text(worker, "a worker", &e));
	a.spec.worker_path = worker;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		AUTO_FREE char *from = path_join(headers, names[i]);
		AUTO_FREE char *to = path_join(there, names[i]);
		CHECK_OK(file_write_text(from, names[i], &e));
		CHECK_OK(host_spool.start(&job, &a.spec, &e));
		host_spool.stop(&job);
		CHECK(file_exists(to));
	}
	away_close(&a);
}

TEST(a_spool_without_a_run_behind_it_is_left_clean_by_a_stop)
{
	struct away a;
	away_open(&a, "answer \"$2\"");
	away_stop_soon();
	a.spec.stop = away_stop();
	CHECK(away_run(&a, &host_spool) < 0);
	CHECK(a.outcome.is_stopped);
	away_check_clean(&a);
	away_close(&a);
}

TEST(a_delivery_that_somebody_removes_from_the_spool_is_cancelled)
{
	struct away a;
	struct host_job *job = NULL;
	struct host_status st = { .end = HOST_RUNNING };
	struct err e = { 0 };
	away_open(&a, "answer \"$2\"");
	CHECK_OK(host_spool.start(&job, &a.spec, &e));
	CHECK_OK(tree_remove(a.spool, &e));
	CHECK_OK(host_spool.poll(job, NS_PER_MS, NULL, &st, &e));
	CHECK_INT(st.end, HOST_FAILED);
	CHECK_INT(st.trouble, TROUBLE_cancelled);
	host_spool.stop(&job);
	away_close(&a);
}

TEST(two_that_fill_one_spool_at_once_do_not_hinder_each_other)
{
	struct away a;
	away_open(&a, "answer \"$2\"");
	/* Something of another forge is in the place of the programs. */
	AUTO_FREE char *kit = path_join(a.spool, "kit/bin");
	struct err e = { 0 };
	CHECK_OK(dir_make(kit, &e));
	fflush(stdout);
	pid_t pids[6];
	for (size_t i = 0; i < ARRAY_LEN(pids); i++) {
		pids[i] = fork();
		if (pids[i] == 0) {
			struct host_job *job = NULL;
			struct host_spec spec = a.spec;
			AUTO_FREE char *bundle = xasprintf("%s-%zu", a.bundle, i);
			spec.bundle_dir = bundle;
			if (tree_copy(a.bundle, bundle, &e) < 0 ||
			    host_spool.start(&job, &spec, &e) < 0) {
				printf("# %s\n", e.text);
				exit(1);
			}
			_exit(0);
		}
	}
	for (size_t i = 0; i < ARRAY_LEN(pids); i++) {
		int status = 0;
		waitpid(pids[i], &status, 0);
		CHECK_INT(status, 0);
	}
	away_close(&a);
}

static void keep_last(const json_t *progress, void *ctx)
{
	char *text = ctx;
	snprintf(text, 200, "%s", json_text_or(progress, "wait", ""));
}

TEST(a_wait_tells_why)
{
	struct away a;
	char text[200] = "";
	const struct host_watch watch = { .progress = keep_last, .ctx = text };
	away_open(&a, "answer \"$2\"");
	unsetenv("REMOTE_HOST");
	setenv("FK_QUEUE_HOURS", "0.0001", 1);
	away_write(&a, "host/hold", "");
	CHECK(host_run_job(&host_slurm, &a.spec, &watch, &a.outcome, &a.e) < 0);
	CHECK(strstr(text, "PENDING, Resources"));
	away_close(&a);
}

TEST(progress_comes_through_ssh)
{
	struct away a;
	int64_t sum = 0;
	const struct host_watch watch = { .progress = sum_done, .ctx = &sum };
	away_open(&a, "echo '{\"done\":3,\"progress\":\"judge\",\"total\":4}'; answer \"$2\"");
	away_use(&a, &host_ssh);
	struct err e = { 0 };
	CHECK_OK(host_run_job(&host_ssh, &a.spec, &watch, &a.outcome, &e));
	CHECK_INT(sum, 3);
	away_close(&a);
}

TEST(a_host_that_lacks_a_setting_says_which)
{
	static const char *const names[] = { "REMOTE_HOST", "SPOOL_DIR" };
	static const struct host_ops *const of[] = { &host_ssh, &host_spool };
	for (size_t i = 0; i < ARRAY_LEN(of); i++) {
		AUTO_STR struct str what = STR_INIT;
		struct err e = { 0 };
		unsetenv(names[i]);
		CHECK(of[i]->check(false, &what, &e) < 0);
		CHECK(strstr(e.text, names[i]) && strstr(e.text, "local.env"));
	}
	const struct host_ops *ops = NULL;
	struct err e = { 0 };
	setenv("FK_DELIVERY", "pigeon", 1);
	CHECK(host_choose(&ops, &e) < 0);
	CHECK(strstr(e.text, "pigeon") && strstr(e.text, "spool"));
	setenv("FK_DELIVERY", "", 1);
	CHECK_OK(host_choose(&ops, &e));
	CHECK(ops == &host_local);
}

TEST_MAIN()
