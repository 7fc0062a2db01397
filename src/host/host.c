#include "host/host.h"
/*
 * The one loop around every driver: clear old answers, start, poll until it ended, fetch, check. An
 * attempt ends in one of three ways: an answer, a loss (another attempt), or an error. Only what
 * can come out differently next time is tried again: a worker that says exit 64 would say so again.
 */

#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/local_env.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "host/settings.h"
#include "model/job.h"
#include "model/order.h"
#include "model/result.h"

#define POLL_NS (200 * NS_PER_MS)
/* Between attempts, times the attempts so far: what killed the worker may need to pass; what broke
 * a connection needs longer. */
#define RETRY_PAUSE_NS (300 * NS_PER_MS)
#define PLACE_PAUSE_NS NS_PER_S
#define PROBE_DEADLINE_NS (300 * NS_PER_S)

enum { EXIT_WRONG_USAGE = 64 };

static const struct host_ops *const hosts[] = {
#define HOST(name) &host_##name,
#include "host/hosts.def"
#undef HOST
};

const struct host_ops *host_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(hosts); i++) {
		if (str_equal(hosts[i]->name, name))
			return hosts[i];
	}
	return NULL;
}

const struct host_ops *host_at(size_t i)
{
	return i < ARRAY_LEN(hosts) ? hosts[i] : NULL;
}

int host_choose(const struct host_ops **out, struct err *e)
{
	AUTO_SETTINGS struct settings s = { 0 };
	AUTO_STR struct str what = STR_INIT;
	if (settings_check(e) < 0 || settings_load(&s, e) < 0)
		return -1;
	const char *name = setting_or(&s, SET_FK_DELIVERY, host_local.name);
	*out = host_find(name);
	if (!*out)
		return err_set(e, ERR_INPUT,
			       "FK_DELIVERY=%.40s is no way to run jobs; local, ssh, slurm or "
			       "spool, in the environment or in %s",
			       name, LOCAL_ENV_NAME);
	return (*out)->check(false, &what, e);
}

char *host_worker_path(const struct host_spec *spec)
{
	if (spec->worker_path)
		return xstrdup(spec->worker_path);
	AUTO_FREE char *dir = path_of_program();
	return path_join(dir, "forge-worker");
}

void host_status_trouble(struct host_status *st, enum trouble t, const char *why)
{
	st->end = trouble_may_pass(t) ? HOST_LOST : HOST_FAILED;
	st->trouble = t;
	snprintf(st->text, sizeof(st->text), "%s%s%.300s", trouble_text(t), why[0] ? ": " : "",
		 why);
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

static int answer_check(const struct host_spec *spec, struct err *e)
{
	const char *bundle_dir = spec->bundle_dir;
	struct job job;
	AUTO_RESULT struct result result = { 0 };
	AUTO_FREE char *probe = path_join(bundle_dir, DELIVERY_PROBE);
	AUTO_JSON json_t *probed = spec->is_probe ? json_read_file(probe, e) : NULL;
	if (spec->is_probe)
		return probed ? 0 : -1;
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
	if (answer_check(spec, &why) == 0)
		return 0;
	if (st->exit_code == EXIT_WRONG_USAGE)
		return err_set(e, ERR_CHILD, "%s: %s", st->text, why.text);
	st->end = HOST_LOST;
	st->trouble = TROUBLE_worker_killed;
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
	case HOST_FAILED:
		outcome->trouble = st->trouble;
		return err_set(e, trouble_kind(st->trouble), "job %s: %s", spec->bundle_dir,
			       st->text);
	case HOST_RUNNING:
		BUG("host: an attempt that runs has no outcome");
	case HOST_LOST:
		break;
	}
	outcome->trouble = st->trouble;
	if (outcome->attempts > HOST_MAX_RETRIES)
		return err_set(e, ERR_REMOTE, "job %s: %u attempts failed, the last: %s",
			       spec->bundle_dir, outcome->attempts, st->text);
	log_warn("job %s: %s; trying again", spec->bundle_dir, st->text);
	bool is_of_place = trouble_is_of_place(st->trouble);
	clock_sleep_ns((is_of_place ? PLACE_PAUSE_NS : RETRY_PAUSE_NS) * outcome->attempts);
	return 1;
}

static int run_attempts(const struct host_ops *ops, const struct host_spec *spec,
			const struct host_watch *watch, struct host_outcome *o, struct err *e)
{
	const uint64_t begin_ns = clock_mono_ns();
	int more;
	do {
		struct host_status st;
		o->attempts++;
		o->trouble = TROUBLE_NONE;
		if (attempt(ops, spec, watch, &st, e) < 0)
			return -1;
		double wall_s = (double)(clock_mono_ns() - begin_ns) * 1e-9;
		o->queue_s = ops->is_remote && wall_s > st.work_s ? wall_s - st.work_s : 0;
		more = attempt_outcome(spec, &st, o, e);
	} while (more > 0);
	return more;
}

int host_run_job(const struct host_ops *ops, const struct host_spec *spec,
		 const struct host_watch *watch, struct host_outcome *outcome, struct err *e)
{
	struct host_outcome mine = { 0 };
	struct host_outcome *o = outcome ? outcome : &mine;
	*o = (struct host_outcome){ 0 };
	return run_attempts(ops, spec, watch, o, e);
}

/* The empty bundle of a probe, in a folder of its own. */
static json_t *probe_in(const char *dir, const struct host_ops *ops, struct host_spec *spec,
			const struct host_watch *watch, struct host_outcome *o, struct err *e)
{
	AUTO_FREE char *bundle = path_join(dir, DELIVERY_BUNDLE);
	AUTO_FREE char *answer = path_join(bundle, DELIVERY_PROBE);
	spec->bundle_dir = bundle;
	spec->deadline_ns = PROBE_DEADLINE_NS;
	spec->is_probe = true;
	spec->can_resume = spec->asker != NULL;
	if (dir_make(bundle, e) < 0 || digest_tree(bundle, &spec->bundle, e) < 0 ||
	    host_run_job(ops, spec, watch, o, e) < 0)
		return NULL;
	return json_read_file(answer, e);
}

json_t *host_probe(const struct host_ops *ops, const struct host_spec *spec,
		   const struct host_watch *watch, struct host_outcome *outcome, struct err *e)
{
	char dir[] = "/tmp/forge-probe-XXXXXX";
	struct host_spec mine = *spec;
	struct err ignored = { 0 };
	*outcome = (struct host_outcome){ 0 };
	if (ops->probe)
		return ops->probe(spec, e);
	if (!mkdtemp(dir))
		return err_errno(e, ERR_SYSTEM, "make %s", dir), NULL;
	json_t *answer = probe_in(dir, ops, &mine, watch, outcome, e);
	tree_remove(dir, &ignored);
	return answer;
}
