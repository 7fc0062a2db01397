#include "host/host.h"

/*
 * A machine behind ssh. Three connections a job: the delivery goes over as a tar stream, the worker
 * runs with its progress on standard output, the answer comes back as a tar stream and the folder
 * is removed. The worker's standard input is a lifeline: when the connection breaks, for whatever
 * reason, it ends its job and removes what was delivered. What was left by a forge that was killed
 * in between goes before the same job is delivered again.
 */

#include "base/clock.h"
#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "host/parcel.h"
#include "host/place.h"
#include "host/settings.h"
#include "sys/proc.h"

#define STOP_GRACE_NS (5 * NS_PER_S)
#define EXIT_WAIT_NS (10 * NS_PER_S)
#define ASK_DEADLINE_NS (30 * NS_PER_S)
enum { EXIT_OF_SSH = 255, EXIT_NO_ROOM = 74 };

enum step { STEP_PUT, STEP_START, STEP_WORK, STEP_GET };

struct host_job {
	struct parcel p;
	enum step step;
	struct child *child;
	struct digest answer; /* as the worker told it */
	uint64_t began_ns;    /* the work; 0: it waits for the device */
};

static void job_free(struct host_job **slot)
{
	struct host_job *job = take_ptr(slot);
	child_free(&job->child);
	parcel_release(&job->p);
	free(job);
}

static int ssh_start(struct host_job **out, const struct host_spec *spec, struct err *e)
{
	struct host_job *job = xcalloc(1, sizeof(*job));
	if (parcel_open(&job->p, spec, SET_NR, e) < 0) {
		job_free(&job);
		return -1;
	}
	*out = job;
	return 0;
}

static void start_worker(struct host_job *job, struct host_status *st)
{
	AUTO_FREE char *script =
		xasprintf("cd %s/%s && kit/bin/forge-worker deliver --lifeline .; exit $?",
			  job->p.place.workdir, job->p.name);
	AUTO_STRV struct strv argv = { 0 };
	struct err e = { 0 };
	place_argv(&job->p.place, script, &argv);
	const struct proc_spec proc = { .argv = (const char *const *)argv.items };
	if (child_start(&job->child, &proc, &e) < 0)
		host_status_trouble(st, TROUBLE_no_program, e.text);
	job->step = STEP_WORK;
}

static void see_line(struct host_job *job, const struct str *line, const struct host_watch *watch)
{
	struct err e = { 0 };
	AUTO_JSON json_t *said = json_read_text(line->text, line->len, "progress", &e);
	const char *answer = json_text_or(said, "answer", NULL);
	if (json_bool_or(said, "begins", false))
		job->began_ns = clock_mono_ns();
	else if (answer)
		snprintf(job->answer.hex, sizeof(job->answer.hex), "%s", answer);
	else if (json_is_object(said) && watch && watch->progress)
		watch->progress(said, watch->ctx);
}

/* The connection is over. */
static void worker_ended(struct host_job *job, struct host_status *st)
{
	struct proc_result r = { 0 };
	if (!child_wait(job->child, EXIT_WAIT_NS, &r))
		child_stop(job->child, STOP_GRACE_NS, &r);
	const char *said = child_stderr(job->child);
	AUTO_STRV struct strv lines = { 0 };
	strv_split(&lines, said, "\r\n");
	const char *last = lines.nr ? lines.items[lines.nr - 1] : "";
	if (r.exit_code == 0 && job->answer.hex[0])
		job->step = STEP_GET;
	else if (r.exit_code == EXIT_NO_ROOM)
		host_status_trouble(st, TROUBLE_no_space, last);
	else if (r.signal || r.exit_code == EXIT_OF_SSH)
		host_status_trouble(st, trouble_of_ssh(said), last);
	else if (r.exit_code > 128)
		host_status_trouble(st, TROUBLE_worker_killed, last);
	else
		host_status_trouble(st, TROUBLE_unfit, last);
}

static void work(struct host_job *job, uint64_t wait_ns, const struct host_watch *watch,
		 struct host_status *st)
{
	AUTO_STR struct str line = STR_INIT;
	struct err e = { 0 };
	uint64_t limit_ns = job->p.spec.deadline_ns;
	int got = child_read_line(job->child, &line, wait_ns, &e);
	if (got == 1)
		see_line(job, &line, watch);
	else if (got == 0)
		worker_ended(job, st);
	else if (e.kind != ERR_TIMEOUT)
		host_status_trouble(st, TROUBLE_lost, e.text);
	/* The worker ends by itself at this time; one that can not is cut off later. */
	if (limit_ns && job->began_ns &&
	    clock_mono_ns() - job->began_ns > limit_ns + 2 * STOP_GRACE_NS &&
	    st->end == HOST_RUNNING)
		host_status_trouble(st, TROUBLE_timed_out, "the host does not answer");
}

static int ssh_poll(struct host_job *job, uint64_t wait_ns, const struct host_watch *watch,
		    struct host_status *st, struct err *e)
{
	(void)e;
	*st = (struct host_status){ .end = HOST_RUNNING };
	switch (job->step) {
	case STEP_PUT:
		if (parcel_put(&job->p, st))
			job->step = STEP_START;
		break;
	case STEP_START:
		start_worker(job, st);
		break;
	case STEP_WORK:
		work(job, wait_ns, watch, st);
		break;
	case STEP_GET:
		parcel_get(&job->p, &job->answer, st);
		break;
	}
	if (parcel_is_stopped(&job->p) && st->end != HOST_DONE) {
		st->end = HOST_STOPPED;
		st->work_s = job->began_ns ? (double)(clock_mono_ns() - job->began_ns) * 1e-9 : 0;
		snprintf(st->text, sizeof(st->text), "stopped");
	}
	return 0;
}

static int ssh_fetch(struct host_job *job, struct err *e)
{
	/* The last step brought the answer. */
	(void)job;
	(void)e;
	return 0;
}

static void ssh_stop(struct host_job **slot)
{
	struct host_job *job = *slot;
	if (!job)
		return;
	if (job->child)
		child_stop(job->child, STOP_GRACE_NS, NULL);
	parcel_remove(&job->p);
	job_free(slot);
}

static int ask(const struct place *place, struct str *what, struct err *e)
{
	AUTO_STR struct str said = STR_INIT;
	AUTO_STR struct str why = STR_INIT;
	const struct place_call call = { .script = "tar --version >/dev/null && uname -sr",
					 .deadline_ns = ASK_DEADLINE_NS,
					 .otherwise = TROUBLE_no_program };
	enum trouble t = place_run(place, &call, &said, &why);
	if (t != TROUBLE_NONE)
		return err_set(e, ERR_REMOTE, "%s: %s", trouble_text(t), why.text);
	str_addf(what, ", it answers: %.*s", (int)strcspn(said.text, "\n"), said.text);
	return 0;
}

static int ssh_check(bool asks, struct str *what, struct err *e)
{
	AUTO_SETTINGS struct settings s = { 0 };
	AUTO_FREE char *ssh = proc_find("ssh");
	struct place place = { 0 };
	if (settings_load(&s, e) < 0)
		return -1;
	int rc = place_open(&place, &s, true, e);
	if (rc == 0 && !ssh)
		rc = err_set(e, ERR_SYSTEM, "ssh is not on PATH: install openssh-client");
	str_addf(what, "%s", setting_or(&s, SET_REMOTE_HOST, ""));
	if (rc == 0 && asks)
		rc = ask(&place, what, e);
	place_release(&place);
	return rc;
}

const struct host_ops host_ssh = { .name = "ssh",
				   .is_remote = true,
				   .start = ssh_start,
				   .poll = ssh_poll,
				   .fetch = ssh_fetch,
				   .stop = ssh_stop,
				   .check = ssh_check };
