#include "host/host.h"

/*
 * A queue of Slurm, whose programs are run here or, where REMOTE_HOST is set, on that machine. The
 * work folder must be the same one on the node that gets the job. The delivery lies there with the
 * number of its job, so that a forge that was killed finds a job that waits or runs instead of
 * queueing another. Without accounting (slurmdbd) sacct knows nothing; then scontrol does, for some
 * minutes. Where Slurm tells nothing the folder decides: an answer in it is taken, and without one
 * job and folder stay, unless Slurm says that there is no such job.
 */

#include "base/clock.h"
#include "base/err.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "host/parcel.h"
#include "host/place.h"
#include "host/queue_wait.h"
#include "host/settings.h"
#include "host/slurm_state.h"
#include "model/order.h"
#include "sys/proc.h"

/* How often it is asked: at first, and at most. */
#define FIRST_ASK_NS (200 * NS_PER_MS)
#define LAST_ASK_NS (5 * NS_PER_S)
#define LOOK_NS (50 * NS_PER_MS)
#define ASK_DEADLINE_NS (30 * NS_PER_S)
/* So often in a row it may not answer: its controller may be started anew. */
enum { MAX_SILENT = 12, S_PER_MINUTE = 60, MAX_ID_LEN = 20 };

/* Of scontrol, whose controller is there and does not know the job. */
static const char no_such_job[] = "Invalid job id";
/* A script says it where answer.json is there. */
#define ANSWERED "answered"

enum step { STEP_FIND, STEP_PUT, STEP_SUBMIT, STEP_WAIT, STEP_GET };

struct host_job {
	struct parcel p;
	enum step step;
	char id[MAX_ID_LEN + 1]; /* of Slurm; "": not submitted */
	struct queue_wait queue;
	struct str said;
	uint64_t ask_ns;
	uint64_t pause_ns;
	unsigned nr_silent;
	bool is_forgotten; /* by a Slurm that answers */
	bool is_over;      /* the job of Slurm */
	bool is_answered;  /* the answer was brought */
	bool stays;        /* with its folder, for who looks for it next */
};

static void job_free(struct host_job **slot)
{
	struct host_job *job = take_ptr(slot);
	parcel_release(&job->p);
	str_release(&job->said);
	free(job);
}

static int slurm_start(struct host_job **out, const struct host_spec *spec, struct err *e)
{
	struct host_job *job = xcalloc(1, sizeof(*job));
	str_init(&job->said);
	job->pause_ns = FIRST_ASK_NS;
	if (parcel_open(&job->p, spec, SET_REMOTE_HOST, e) < 0 ||
	    queue_wait_begin(&job->queue, &job->p.settings, e) < 0) {
		job_free(&job);
		return -1;
	}
	*out = job;
	return 0;
}

/* Run a script; what it wrote is job->said. */
static enum trouble run(struct host_job *job, const char *script, enum trouble otherwise)
{
	const struct place_call call = { .script = script,
					 .deadline_ns = ASK_DEADLINE_NS,
					 .otherwise = otherwise };
	str_clear(&job->said);
	str_clear(&job->p.why);
	return place_run(&job->p.place, &call, &job->said, &job->p.why);
}

static bool take_id(struct host_job *job, const char *text)
{
	size_t len = strspn(text, "0123456789");
	if (!len || len > MAX_ID_LEN)
		return false;
	snprintf(job->id, sizeof(job->id), "%.*s", (int)len, text);
	return true;
}

static void cancel(struct host_job *job)
{
	AUTO_FREE char *script = xasprintf("scancel %s", job->id);
	/* One that has answered has most likely ended. */
	if (run(job, script, TROUBLE_refused) != TROUBLE_NONE && !job->is_answered)
		log_warn("job %s of Slurm could not be cancelled: %s", job->id, job->p.why.text);
}

/* Is a job of this very bundle queued from before? One of another bundle in this place is ended.
 * An answer is taken without asking Slurm, which may have forgotten the job. */
static void find(struct host_job *job, struct host_status *st)
{
	AUTO_FREE char *script =
		xasprintf("cd %s/%s 2>/dev/null || exit 0; cat slurm.id; cat %s; [ ! -f %s ] || "
			  "echo " ANSWERED,
			  job->p.place.workdir, job->p.name, DELIVERY_ORDER, DELIVERY_ANSWER);
	enum trouble t = run(job, script, TROUBLE_no_workdir);
	job->step = STEP_PUT;
	if (t == TROUBLE_unreachable || t == TROUBLE_key_unknown || t == TROUBLE_denied ||
	    t == TROUBLE_lost) {
		host_status_trouble(st, t, job->p.why.text);
		return;
	}
	job->p.is_there = true;
	if (!take_id(job, job->said.text))
		return;
	if (strstr(job->said.text, job->p.spec.bundle.hex)) {
		log_info("%s: job %s of Slurm is taken up again", job->p.name, job->id);
		job->step = str_ends(job->said.text, "\n" ANSWERED "\n") ? STEP_GET : STEP_WAIT;
		return;
	}
	cancel(job);
	job->id[0] = 0;
}

static void add_words(struct str *out, const char *words)
{
	AUTO_STRV struct strv list = { 0 };
	strv_split(&list, words, " \t");
	for (size_t i = 0; i < list.nr; i++) {
		str_add_char(out, ' ');
		place_quote(out, list.items[i]);
	}
}

static void add_options(const struct host_job *job, struct str *out)
{
	const struct settings *s = &job->p.settings;
	uint64_t minutes = job->p.spec.deadline_ns / NS_PER_S / S_PER_MINUTE + 2;
	for (int i = 0; i < SET_NR; i++) {
		const char *option = setting_option((enum setting)i);
		if (!option[0] || !s->value[i])
			continue;
		str_addf(out, " %s", option);
		place_quote(out, s->value[i]);
	}
	if (!s->value[SET_SLURM_TIME] && job->p.spec.deadline_ns)
		str_addf(out, " --time=%llu", (unsigned long long)minutes);
	if (str_equal(setting_or(s, SET_SLURM_EXCLUSIVE, "0"), "1"))
		str_add(out, " --exclusive");
	add_words(out, setting_or(s, SET_SLURM_OPTIONS, ""));
}

static void submit(struct host_job *job, struct host_status *st)
{
	AUTO_STR struct str script = STR_INIT;
	str_addf(&script,
		 "cd %s/%s && sbatch --parsable --no-requeue --export=PATH,HOME,USER "
		 "--job-name=forge-%s "
		 "--output=slurm.out",
		 job->p.place.workdir, job->p.name, job->p.name);
	add_options(job, &script);
	str_add(&script, " --wrap='exec kit/bin/forge-worker deliver .' > slurm.id.new && mv "
			 "slurm.id.new slurm.id && cat slurm.id");
	enum trouble t = run(job, script.text, TROUBLE_refused);
	if (t != TROUBLE_NONE)
		host_status_trouble(st, t, job->p.why.text);
	else if (!take_id(job, job->said.text))
		host_status_trouble(st, TROUBLE_refused, "sbatch told no job number");
	job->step = STEP_WAIT;
}

static void tell_wait(struct host_job *job, const struct slurm_state *s,
		      const struct host_watch *watch)
{
	AUTO_FREE char *text = xasprintf("waiting in the queue of Slurm, job %s: %s%s%s", job->id,
					 s->name, s->reason[0] ? ", " : "", s->reason);
	queue_wait_tell(&job->queue, text, watch);
}

static void work_begun(struct host_job *job)
{
	if (!job->queue.work_ns)
		job->queue.work_ns = clock_mono_ns();
}

static enum trouble look_for_answer(struct host_job *job, bool *is_there)
{
	AUTO_FREE char *script = xasprintf("cd %s/%s && { [ ! -f %s ] || echo " ANSWERED "; }",
					   job->p.place.workdir, job->p.name, DELIVERY_ANSWER);
	enum trouble t = run(job, script, TROUBLE_lost);
	*is_there = t == TROUBLE_NONE && str_starts(job->said.text, ANSWERED);
	return t;
}

/* Slurm did not tell how the job stands: it has forgotten it, or its controller is away. */
static void see_silence(struct host_job *job, struct host_status *st)
{
	AUTO_FREE char *said = xstrdup(job->p.why.len ? job->p.why.text : job->said.text);
	bool is_forgotten = strstr(said, no_such_job) != NULL;
	bool is_there;
	look_for_answer(job, &is_there);
	if (is_there) {
		job->step = STEP_GET;
		return;
	}
	if (is_forgotten != job->is_forgotten)
		job->nr_silent = 0;
	job->is_forgotten = is_forgotten;
	if (++job->nr_silent <= MAX_SILENT)
		return;
	said[strcspn(said, "\n")] = 0;
	job->is_over = is_forgotten;
	job->stays = !is_forgotten;
	AUTO_FREE char *text =
		is_forgotten
			? xstrdup("Slurm does not know the job")
			: xasprintf("Slurm does not tell how job %s stands (%.100s); it stays with "
				    "its folder %s, the next try or the same command finds it",
				    job->id, said, job->p.name);
	host_status_trouble(st, TROUBLE_lost, text);
}

static void see_state(struct host_job *job, const struct slurm_state *s,
		      const struct host_watch *watch, struct host_status *st)
{
	AUTO_FREE char *text = xasprintf("job %s of Slurm: %s%s%s", job->id, s->name,
					 s->reason[0] ? ", " : "", s->reason);
	switch (s->phase) {
	case SLURM_UNKNOWN:
		see_silence(job, st);
		return;
	case SLURM_WAITS:
		tell_wait(job, s, watch);
		if (queue_wait_is_over(&job->queue))
			host_status_trouble(st, TROUBLE_never_started, text);
		break;
	case SLURM_WORKS:
		work_begun(job);
		break;
	case SLURM_ENDED:
		job->is_over = true;
		job->step = STEP_GET;
		break;
	case SLURM_TROUBLED:
		job->is_over = true;
		host_status_trouble(st, s->trouble, text);
		break;
	}
	job->nr_silent = 0;
}

static void wait_for_job(struct host_job *job, const struct host_watch *watch,
			 struct host_status *st)
{
	AUTO_FREE char *script =
		xasprintf("s=$(squeue -h -t all -j %s -o '%%T|%%r' 2>/dev/null); [ -n \"$s\" ] || "
			  "s=$(sacct -X -n -P -j %s -o State 2>/dev/null); [ -n \"$s\" ] || "
			  "s=$(scontrol -o show job %s) || exit; echo \"$s\"",
			  job->id, job->id, job->id);
	struct slurm_state s = { 0 };
	if (clock_mono_ns() < job->ask_ns) {
		clock_sleep_ns(LOOK_NS);
		return;
	}
	if (run(job, script, TROUBLE_lost) == TROUBLE_NONE)
		slurm_state_read(&s, job->said.text);
	see_state(job, &s, watch, st);
	job->ask_ns = clock_mono_ns() + job->pause_ns;
	job->pause_ns = job->pause_ns < LAST_ASK_NS / 2 ? 2 * job->pause_ns : LAST_ASK_NS;
	if (s.phase == SLURM_WORKS && job->pause_ns > NS_PER_S)
		job->pause_ns = NS_PER_S;
}

/* The worker left no answer: what it or the node said. */
static void tell_why(struct host_job *job, struct host_status *st)
{
	AUTO_FREE char *script =
		xasprintf("cd %s/%s && tail -n 1 slurm.out", job->p.place.workdir, job->p.name);
	enum trouble t = run(job, script, TROUBLE_lost);
	job->said.text[strcspn(job->said.text, "\n")] = 0;
	bool is_full = strstr(job->said.text, "No space left on device") != NULL;
	if (t != TROUBLE_NONE)
		host_status_trouble(st, t, job->p.why.text);
	else
		host_status_trouble(st, is_full ? TROUBLE_no_space : TROUBLE_unfit, job->said.text);
}

static void get(struct host_job *job, struct host_status *st)
{
	bool is_there;
	enum trouble t = look_for_answer(job, &is_there);
	if (t == TROUBLE_NONE && !is_there) {
		tell_why(job, st);
		return;
	}
	if (t == TROUBLE_NONE)
		job->is_answered = parcel_get(&job->p, NULL, st);
	else
		host_status_trouble(st, t, job->p.why.text);
}

static void do_step(struct host_job *job, const struct host_watch *watch, struct host_status *st)
{
	switch (job->step) {
	case STEP_FIND:
		find(job, st);
		break;
	case STEP_PUT:
		if (parcel_put(&job->p, st))
			job->step = STEP_SUBMIT;
		break;
	case STEP_SUBMIT:
		submit(job, st);
		break;
	case STEP_WAIT:
		wait_for_job(job, watch, st);
		break;
	case STEP_GET:
		get(job, st);
		break;
	}
}

static int slurm_poll(struct host_job *job, uint64_t wait_ns, const struct host_watch *watch,
		      struct host_status *st, struct err *e)
{
	(void)e;
	(void)wait_ns;
	*st = (struct host_status){ .end = HOST_RUNNING };
	do_step(job, watch, st);
	if (st->end == HOST_DONE)
		return 0;
	if (job->p.spec.stop && *job->p.spec.stop)
		*st = (struct host_status){ .end = HOST_STOPPED, .text = "stopped" };
	if (st->end == HOST_STOPPED)
		job->stays = false;
	st->work_s = queue_wait_work_s(&job->queue);
	return 0;
}

static int slurm_fetch(struct host_job *job, struct err *e)
{
	/* The last step brought the answer. */
	(void)job;
	(void)e;
	return 0;
}

static void slurm_stop(struct host_job **slot)
{
	struct host_job *job = *slot;
	if (!job)
		return;
	job->p.place.stop = NULL;
	if (job->id[0] && !job->is_over && !job->stays)
		cancel(job);
	if (!job->stays)
		parcel_remove(&job->p);
	job_free(slot);
}

static int ask(const struct place *place, struct str *what, struct err *e)
{
	AUTO_STR struct str said = STR_INIT;
	AUTO_STR struct str why = STR_INIT;
	const struct place_call call = {
		.script = "command -v sbatch >/dev/null || { echo 'sbatch is not on PATH' >&2; "
			  "exit 127; }; sinfo -h -o '%P %a %D nodes'",
		.deadline_ns = ASK_DEADLINE_NS,
		.otherwise = TROUBLE_unreachable
	};
	enum trouble t = place_run(place, &call, &said, &why);
	if (t != TROUBLE_NONE)
		return err_set(e, ERR_REMOTE, "%s: %s", trouble_text(t), why.text);
	str_addf(what, ", it answers: %.*s", (int)strcspn(said.text, "\n"), said.text);
	return 0;
}

static int slurm_check(bool asks, struct str *what, struct err *e)
{
	AUTO_SETTINGS struct settings s = { 0 };
	AUTO_FREE char *sbatch = proc_find("sbatch");
	struct place place = { 0 };
	if (settings_load(&s, e) < 0)
		return -1;
	const char *host = s.value[SET_REMOTE_HOST];
	int rc = place_open(&place, &s, host != NULL, e);
	if (rc == 0 && !host && !sbatch)
		rc = err_set(e, ERR_SYSTEM,
			     "sbatch is not on PATH: install Slurm's client programs, or set "
			     "REMOTE_HOST to a machine that has them");
	str_add(what, host ? host : "sbatch of this machine");
	if (rc == 0 && asks)
		rc = ask(&place, what, e);
	place_release(&place);
	return rc;
}

const struct host_ops host_slurm = { .name = "slurm",
				     .is_remote = true,
				     .keeps_jobs = true,
				     .start = slurm_start,
				     .poll = slurm_poll,
				     .fetch = slurm_fetch,
				     .stop = slurm_stop,
				     .check = slurm_check };
