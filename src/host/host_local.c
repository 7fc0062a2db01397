#include "host/host.h"
/*
 * This machine: forge-worker as a child. Its stdout is progress, its stderr goes to
 * BUNDLE/log/worker.log. Its environment is a short list (sys/worker_env.h).
 */

#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "host/settings.h"
#include "sys/proc.h"
#include "sys/worker_env.h"

#define STOP_GRACE_NS (5 * NS_PER_S)
#define PROBE_DEADLINE_NS (60 * NS_PER_S)
/* After its last line a worker only has to exit. */
#define EXIT_WAIT_NS (10 * NS_PER_S)

struct host_job {
	struct child *child;
	char *log_path;
	uint64_t expires_ns; /* 0: never */
	const volatile sig_atomic_t *stop;
};

/* -1: local.env can not be read. */
static int env_make(const struct host_spec *spec, struct strv *env, struct err *e)
{
	AUTO_SETTINGS struct settings s = { 0 };
	if (settings_load(&s, e) < 0)
		return -1;
	const struct worker_env wish = { .cache_dir = spec->cache_dir, .gpu = s.value[SET_FK_GPU] };
	worker_env_add(&wish, env);
	return 0;
}

static int child_make(struct host_job *job, const struct host_spec *spec, struct err *e)
{
	AUTO_FREE char *worker = host_worker_path(spec);
	AUTO_STRV struct strv env = { 0 };
	if (env_make(spec, &env, e) < 0)
		return -1;
	const char *const argv[] = { worker, "run", spec->bundle_dir, NULL };
	struct proc_spec proc = { .argv = argv,
				  .env = (const char *const *)env.items,
				  .stderr_path = job->log_path };
	if (child_start(&job->child, &proc, e) < 0)
		return err_wrap(e, "start the worker");
	child_close_stdin(job->child);
	return 0;
}

static void local_free(struct host_job **job)
{
	child_free(&(*job)->child);
	free((*job)->log_path);
	free(*job);
	*job = NULL;
}

static int local_start(struct host_job **out, const struct host_spec *spec, struct err *e)
{
	AUTO_FREE char *log_dir = path_join(spec->bundle_dir, "log");
	if (dir_make(log_dir, e) < 0)
		return -1;
	struct host_job *job = xcalloc(1, sizeof(*job));
	job->log_path = path_join(log_dir, "worker.log");
	job->stop = spec->stop;
	job->expires_ns = spec->deadline_ns ? clock_mono_ns() + spec->deadline_ns : 0;
	if (child_make(job, spec, e) < 0) {
		local_free(&job);
		return -1;
	}
	*out = job;
	return 0;
}

/* Lines that are no JSON object are dropped: progress may be lost, nothing hangs on it. */
static void tell(const struct host_watch *watch, const struct str *line)
{
	if (!watch || !watch->progress)
		return;
	struct err e = { 0 };
	AUTO_JSON json_t *progress = json_read_text(line->text, line->len, "progress", &e);
	if (json_is_object(progress))
		watch->progress(progress, watch->ctx);
}

static void status_set(struct host_status *st, enum host_end end, const char *text)
{
	st->end = end;
	snprintf(st->text, sizeof(st->text), "%s", text);
}

/* stdout is closed: the worker has ended, or is about to. */
static void ended(struct host_job *job, struct host_status *st)
{
	struct proc_result r = { 0 };
	if (!child_wait(job->child, EXIT_WAIT_NS, &r)) {
		status_set(st, HOST_LOST, "the worker closed its output and hangs");
		st->trouble = TROUBLE_worker_killed;
		return;
	}
	AUTO_STR struct str how = STR_INIT;
	str_add(&how, "worker: ");
	proc_result_describe(&r, &how);
	st->exit_code = r.exit_code;
	status_set(st, r.signal ? HOST_LOST : HOST_DONE, how.text);
	st->trouble = r.signal ? TROUBLE_worker_killed : TROUBLE_NONE;
}

static bool is_cut_short(const struct host_job *job, struct host_status *st)
{
	if (job->stop && *job->stop)
		status_set(st, HOST_STOPPED, "stopped");
	else if (job->expires_ns && clock_mono_ns() >= job->expires_ns)
		status_set(st, HOST_EXPIRED, "the worker ran past the deadline");
	else
		return false;
	return true;
}

static int local_poll(struct host_job *job, uint64_t wait_ns, const struct host_watch *watch,
		      struct host_status *st, struct err *e)
{
	AUTO_STR struct str line = STR_INIT;
	*st = (struct host_status){ .end = HOST_RUNNING };
	if (is_cut_short(job, st))
		return 0;
	int got = child_read_line(job->child, &line, wait_ns, e);
	if (got < 0 && e->kind != ERR_TIMEOUT)
		return -1;
	if (got == 1)
		tell(watch, &line);
	else if (got == 0)
		ended(job, st);
	else
		*e = (struct err){ 0 };
	return 0;
}

static int local_fetch(struct host_job *job, struct err *e)
{
	/* The worker wrote into the bundle folder itself. */
	(void)job;
	(void)e;
	return 0;
}

static void local_stop(struct host_job **job)
{
	if (!*job)
		return;
	child_stop((*job)->child, STOP_GRACE_NS, NULL);
	local_free(job);
}

static json_t *local_probe(const struct host_spec *spec, struct err *e)
{
	AUTO_FREE char *worker = host_worker_path(spec);
	AUTO_STRV struct strv env = { 0 };
	if (env_make(spec, &env, e) < 0)
		return NULL;
	const char *const argv[] = { worker, "probe", NULL };
	struct proc_spec proc = { .argv = argv,
				  .env = (const char *const *)env.items,
				  .deadline_ns = PROBE_DEADLINE_NS,
				  .stop = spec->stop };
	AUTO_PROC_RESULT struct proc_result r = { 0 };
	if (proc_run(&r, &proc, e) < 0)
		return NULL;
	if (!proc_result_is_ok(&r)) {
		AUTO_STR struct str how = STR_INIT;
		proc_result_describe(&r, &how);
		err_set(e, ERR_CHILD, "%s probe: %s: %.200s", worker, how.text, r.err.text);
		return NULL;
	}
	return json_read_text(r.out.text, r.out.len, "forge-worker probe", e);
}

static int local_check(bool asks, struct str *what, struct err *e)
{
	AUTO_FREE char *worker = host_worker_path(&(struct host_spec){ 0 });
	if (asks && !file_exists(worker))
		return err_set(e, ERR_SYSTEM, "%s is not there: build forge whole (make)", worker);
	str_add(what, "this machine");
	return 0;
}

const struct host_ops host_local = { .name = "local",
				     .start = local_start,
				     .poll = local_poll,
				     .fetch = local_fetch,
				     .stop = local_stop,
				     .probe = local_probe,
				     .check = local_check };
