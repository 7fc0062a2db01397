#include "host/host.h"
/*
 * The one loop around every driver: clear old answers, start, poll until it ended, fetch, check. An
 * attempt ends in one of three ways: an answer, a loss (another attempt), or an error. Only what
 * can come out differently next time is tried again: a worker that says exit 64 would say so again.
 */

#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "model/job.h"
#include "model/result.h"

#define POLL_NS (200 * NS_PER_MS)
/* Between attempts, times the attempts so far: what killed the worker may need to pass. */
#define RETRY_PAUSE_NS (300 * NS_PER_MS)

enum { EXIT_WRONG_USAGE = 64 };

static const struct host_ops *const hosts[] = { &host_local };

const struct host_ops *host_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(hosts); i++) {
		if (str_equal(hosts[i]->name, name))
			return hosts[i];
	}
	return NULL;
}

/* A result from before must not be taken for the answer. */
static int answers_clear(const char *bundle_dir, struct err *e)
{
	static const char *const names[] = { "result.json", "samples.csv" };
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		AUTO_FREE char *path = path_join(bundle_dir, names[i]);
		if (file_exists(path) && unlink(path) < 0)
			return err_errno(e, ERR_SYSTEM, "remove %s", path);
	}
	return 0;
}

static int answer_check(const char *bundle_dir, struct err *e)
{
	struct job job;
	AUTO_RESULT struct result result = { 0 };
	if (job_load(&job, bundle_dir, e) < 0 || result_load(&result, bundle_dir, e) < 0)
		return -1;
	if (!str_equal(result.job_id, job.id))
		return err_set(e, ERR_REMOTE, "result of job %s in the bundle of job %s",
			       result.job_id, job.id);
	return 0;
}

static int wait_for_end(const struct host_ops *ops, struct host_job *job,
			const struct host_watch *watch, struct host_status *st, struct err *e)
{
	do {
		if (ops->poll(job, POLL_NS, watch, st, e) < 0)
			return -1;
	} while (st->end == HOST_RUNNING);
	return 0;
}

/* One attempt. 0 with *st HOST_DONE: the answer is in the bundle and checked. 0 with HOST_LOST:
 * another attempt may help, the text says why this one did not. */
static int attempt(const struct host_ops *ops, const struct host_spec *spec,
		   const struct host_watch *watch, struct host_status *st, struct err *e)
{
	struct host_job *job = NULL;
	*st = (struct host_status){ 0 };
	if (answers_clear(spec->bundle_dir, e) < 0 || ops->start(&job, spec, e) < 0)
		return -1;
	int rc = wait_for_end(ops, job, watch, st, e);
	if (rc == 0 && st->end == HOST_DONE)
		rc = ops->fetch(job, e);
	ops->stop(&job);
	if (rc < 0 || st->end != HOST_DONE)
		return rc;
	struct err why = { 0 };
	if (answer_check(spec->bundle_dir, &why) == 0)
		return 0;
	if (st->exit_code == EXIT_WRONG_USAGE)
		return err_set(e, ERR_CHILD, "%s: %s", st->text, why.text);
	st->end = HOST_LOST;
	snprintf(st->text + strlen(st->text), sizeof(st->text) - strlen(st->text), "; %.120s",
		 why.text);
	return 0;
}

/* What an attempt means for the job: 0 answer, 1 try again, -1 error. */
static int attempt_outcome(const struct host_spec *spec, const struct host_status *st,
			   struct host_outcome *outcome, struct err *e)
{
	switch (st->end) {
	case HOST_DONE:
		return 0;
	case HOST_STOPPED:
		outcome->is_stopped = true;
		return err_set(e, ERR_CHILD, "job %s: stopped", spec->bundle_dir);
	case HOST_EXPIRED:
		return err_set(e, ERR_TIMEOUT, "job %s: %s", spec->bundle_dir, st->text);
	case HOST_RUNNING:
		BUG("host: an attempt that runs has no outcome");
	case HOST_LOST:
		break;
	}
	if (outcome->attempts > HOST_MAX_RETRIES)
		return err_set(e, ERR_REMOTE, "job %s: %u attempts failed, the last: %s",
			       spec->bundle_dir, outcome->attempts, st->text);
	log_warn("job %s: %s; trying again", spec->bundle_dir, st->text);
	clock_sleep_ns(RETRY_PAUSE_NS * outcome->attempts);
	return 1;
}

int host_run_job(const struct host_ops *ops, const struct host_spec *spec,
		 const struct host_watch *watch, struct host_outcome *outcome, struct err *e)
{
	struct host_outcome mine = { 0 };
	struct host_outcome *o = outcome ? outcome : &mine;
	*o = (struct host_outcome){ 0 };
	int more;
	do {
		struct host_status st;
		o->attempts++;
		if (attempt(ops, spec, watch, &st, e) < 0)
			return -1;
		more = attempt_outcome(spec, &st, o, e);
	} while (more > 0);
	return more;
}
