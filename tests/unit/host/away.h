/*
 * A host elsewhere, for unit tests: tests/fake/hosts stand for ssh and Slurm, the real forge-worker
 * executes deliveries, and a script is what it runs as the worker of a bundle. All lies in one
 * temporary folder:
 *
 *   bundle/  here    host/home/work  the work folder there    spool/    tries  one line a job
 */
#ifndef FORGE_TEST_AWAY_H
#define FORGE_TEST_AWAY_H

#include <sys/stat.h>

#include "base/clock.h"
#include "base/digest.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "host/host.h"
#include "model/job.h"
#include "model/result.h"
#include "sys/proc.h"
#include "test.h"

struct away {
	char dir[32];
	char *bundle;
	char *worker;
	char *home; /* of the host */
	char *work; /* its folder for deliveries */
	char *spool;
	char *real;           /* forge-worker */
	struct child *server; /* forge-worker spool */
	struct host_spec spec;
	struct host_outcome outcome;
	struct err e;
};

static inline char *away_path(const struct away *a, const char *name)
{
	return path_join(a->dir, name);
}

static inline void away_write(const struct away *a, const char *name, const char *text)
{
	struct err e = { 0 };
	AUTO_FREE char *path = away_path(a, name);
	CHECK_OK(file_write_text(path, text, &e));
}

static inline void away_make_answer(const struct away *a, const char *job_id)
{
	struct err e = { 0 };
	AUTO_FREE char *dir = away_path(a, "answer");
	AUTO_FREE char *from = path_join(dir, "result.json");
	AUTO_FREE char *to = path_join(a->bundle, "good.json");
	AUTO_RESULT struct result r = { .job_id = job_id,
					.verdict = { .state = VERDICT_PASS, .reason = REASON_ok } };
	CHECK_OK(dir_make(dir, &e));
	CHECK_OK(result_save(&r, dir, &e));
	CHECK_OK(file_copy(from, to, &e));
}

/* `run` is what the worker does with the bundle $2; `answer` answers it. */
static inline void away_worker(struct away *a, const char *run)
{
	struct err e = { 0 };
	AUTO_FREE char *text = xasprintf(
		"#!/bin/sh\ntop=%s\ncase $1 in\n"
		"deliver | spool) verb=$1; shift; exec %s $verb --worker \"$0\" \"$@\" ;;\n"
		"probe) echo '{\"cpu\": \"far\"}'; exit 0 ;;\nesac\n"
		"answer() { cp \"$1/good.json\" \"$1/result.json\"; [ ! -f \"$1/good.csv\" ] || "
		"cp \"$1/good.csv\" \"$1/samples.csv\"; }\n"
		"echo x >> \"$top/tries\"\n%s\n",
		a->dir, a->real, run);
	CHECK_OK(file_write_text(a->worker, text, &e));
	CHECK(chmod(a->worker, 0755) == 0);
}

static inline void away_settings(const struct away *a)
{
	char cwd[4096];
	CHECK(getcwd(cwd, sizeof(cwd)));
	AUTO_FREE char *path = xasprintf("%s/tests/fake/hosts:%s", cwd, getenv("PATH"));
	AUTO_FREE char *host = away_path(a, "host");
	setenv("PATH", path, 1);
	setenv("FAKE_HOST", host, 1);
	setenv("REMOTE_WORKDIR", a->work, 1);
	setenv("SPOOL_DIR", a->spool, 1);
	unsetenv("FK_QUEUE_HOURS");
	/* A device of our own, so that no real job of this machine is waited for. */
	AUTO_FREE char *gpu = xasprintf("unit-test-%d", (int)getpid() % 16);
	setenv("FK_GPU", gpu, 1);
}

static inline void away_open(struct away *a, const char *run)
{
	struct err e = { 0 };
	*a = (struct away){ .dir = "/tmp/forge-away-XXXXXX" };
	CHECK(mkdtemp(a->dir));
	a->bundle = away_path(a, "bundle");
	a->worker = away_path(a, "worker");
	a->home = away_path(a, "host/home");
	a->work = away_path(a, "host/home/work");
	a->spool = away_path(a, "spool");
	AUTO_FREE char *here = path_of_program();
	a->real = xasprintf("%s/../../bin/forge-worker", here);
	CHECK_OK(dir_make(a->bundle, &e));
	CHECK_OK(dir_make(a->home, &e));
	const struct job job = { .id = "r0001-screen",
				 .kind = JOB_TIME,
				 .seed = 1,
				 .replicates = 2,
				 .rounds = 3,
				 .deadline_s = 60 };
	CHECK_OK(job_save(&job, a->bundle, &e));
	away_make_answer(a, job.id);
	away_worker(a, run);
	away_settings(a);
	a->spec = (struct host_spec){ .bundle_dir = a->bundle,
				      .worker_path = a->worker,
				      .deadline_ns = 60 * NS_PER_S };
	CHECK_OK(digest_tree(a->bundle, &a->spec.bundle, &e));
}

static inline void away_serve(struct away *a)
{
	struct err e = { 0 };
	CHECK_OK(dir_make(a->spool, &e));
	const char *const argv[] = { a->worker, "spool", "--settle", "0.5", a->spool, NULL };
	const struct proc_spec spec = { .argv = argv };
	CHECK_OK(child_start(&a->server, &spec, &e));
	child_close_stdin(a->server);
}

/* Serve the spool `dir` until nothing is left; the exit code. */
static inline int away_serve_once(const struct away *a, const char *dir, const char *settle)
{
	struct err e = { 0 };
	const char *const argv[] = { a->worker, "spool", "--once", "--settle", settle, dir, NULL };
	const struct proc_spec spec = { .argv = argv, .deadline_ns = 30 * NS_PER_S };
	AUTO_PROC_RESULT struct proc_result r = { 0 };
	CHECK_OK(proc_run(&r, &spec, &e));
	return r.exit_code;
}

/* What a user's Ctrl-C sets. */
static inline volatile sig_atomic_t *away_stop(void)
{
	static volatile sig_atomic_t stop;
	return &stop;
}

static inline void away_on_alarm(int signal_nr)
{
	(void)signal_nr;
	*away_stop() = 1;
}

static inline void away_stop_soon(void)
{
	*away_stop() = 0;
	signal(SIGALRM, away_on_alarm);
	ualarm(400000, 0);
}

/* As `ops` needs it. */
static inline void away_use(struct away *a, const struct host_ops *ops)
{
	if (ops == &host_ssh)
		setenv("REMOTE_HOST", "box", 1);
	else
		unsetenv("REMOTE_HOST");
	if (ops == &host_spool)
		away_serve(a);
}

static inline void away_close(struct away *a)
{
	struct err e = { 0 };
	if (a->server)
		child_stop(a->server, 5 * NS_PER_S, NULL);
	child_free(&a->server);
	CHECK_OK(tree_remove(a->dir, &e));
	free(a->bundle);
	free(a->worker);
	free(a->home);
	free(a->work);
	free(a->spool);
	free(a->real);
}

static inline int away_run(struct away *a, const struct host_ops *ops)
{
	a->e = (struct err){ 0 };
	return host_run_job(ops, &a->spec, NULL, &a->outcome, &a->e);
}

static inline size_t away_tries(const struct away *a)
{
	struct err e = { 0 };
	AUTO_FREE char *path = away_path(a, "tries");
	AUTO_STR struct str text = STR_INIT;
	if (!file_exists(path))
		return 0;
	CHECK_OK(file_read(path, 1000, &text, &e));
	return text.len / 2;
}

/* Nothing of ours lies where jobs are delivered, nor beside the bundle. */
static inline void away_check_clean(const struct away *a)
{
	struct err e = { 0 };
	AUTO_STRV struct strv left = { 0 };
	AUTO_FREE char *sent = away_path(a, "bundle.sent");
	AUTO_FREE char *back = away_path(a, "bundle.back");
	if (file_is_dir(a->work))
		CHECK_OK(dir_list(a->work, &left, &e));
	if (file_is_dir(a->spool))
		CHECK_OK(dir_list(a->spool, &left, &e));
	for (size_t i = 0; i < left.nr; i++)
		CHECK_TEXT(left.items[i][0] == '.' ? "kit" : left.items[i], "kit");
	CHECK(!file_exists(sent) && !file_exists(back));
}

#endif
