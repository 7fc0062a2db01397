#include "host/host.h"

/*
 * A folder. Deliveries appear in it whole, `forge-worker spool` executes them wherever the folder
 * was copied to, and answers are taken when they appear. Nobody says whether a worker is there, so
 * a job waits for as long as the user lets it; a forge that was stopped or killed finds its
 * delivery again by name and digest. An answer may be copied back file by file: one that is not
 * whole is looked at again for a while.
 */

#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "host/delivery.h"
#include "host/queue_wait.h"
#include "host/settings.h"
#include "model/order.h"
#include "sys/lock.h"

#define LOOK_NS (50 * NS_PER_MS)
#define LOCK_WAIT_NS (20 * NS_PER_S)
/* An answer whose digests do not hold may be half of one for so long. */
#define SETTLE_NS (10 * NS_PER_S)
#define GRACE_NS (60 * NS_PER_S)

struct host_job {
	struct settings settings;
	struct host_spec spec;
	char *bundle;
	char *dir; /* the delivery */
	struct queue_wait queue;
	struct str why;
	uint64_t broken_ns; /* since when an answer is there that is not whole; 0: none */
	bool stays;         /* in the spool */
};

static void job_free(struct host_job **slot)
{
	struct host_job *job = take_ptr(slot);
	settings_release(&job->settings);
	str_release(&job->why);
	free(job->bundle);
	free(job->dir);
	free(job);
}

static int fill(const void *ctx, const char *dir, struct err *e)
{
	return delivery_make(dir, ctx, e);
}

static int fill_kit(const void *ctx, const char *dir, struct err *e)
{
	return delivery_make_kit(dir, ctx, KIT_FOR_ALL, e);
}

/* Others fill the same spool; they are quick. */
static int lock_spool(struct lock *lock, const char *spool, struct err *e)
{
	AUTO_FREE char *path = path_join(spool, ".lock");
	const uint64_t until_ns = clock_mono_ns() + LOCK_WAIT_NS;
	while (lock_take(lock, path, e) < 0) {
		if (e->kind != ERR_CONFLICT || clock_mono_ns() > until_ns)
			return -1;
		clock_sleep_ns(LOOK_NS);
	}
	*e = (struct err){ 0 };
	return 0;
}

/* The programs lie in the spool, so that it can be carried to a bare machine. They are those of the
 * forge that made it; another one puts its own there. Whatever job comes first, those of a GPU lie
 * there, too: a worker that serves the kit gets the next ones as well. */
static int put_kit(const char *spool, const struct host_spec *spec, struct err *e)
{
	AUTO_FREE char *kit = path_join(spool, "kit");
	AUTO_LOCK struct lock lock = LOCK_INIT;
	if (lock_spool(&lock, spool, e) < 0)
		return -1;
	if (delivery_kit_is_whole(kit, spec))
		return 0;
	if (tree_remove(kit, e) < 0)
		return -1;
	return dir_make_whole(kit, fill_kit, spec, e);
}

static int put(struct host_job *job, const char *spool, struct err *e)
{
	const struct delivery_spec delivery = { .host = &job->spec, .settings = &job->settings };
	AUTO_FREE char *name = delivery_name(&job->spec);
	AUTO_FREE char *hidden = xasprintf("%s/.%s", spool, name);
	job->dir = path_join(spool, name);
	if (delivery_is_of(job->dir, &job->spec)) {
		log_info("%s: found in the spool again", name);
		return 0;
	}
	/* Built under a name that no worker looks at. */
	if (tree_remove(job->dir, e) < 0 || tree_remove(hidden, e) < 0 ||
	    dir_make_whole(hidden, fill, &delivery, e) < 0)
		return -1;
	if (rename(hidden, job->dir) < 0)
		return err_errno(e, ERR_SYSTEM, "rename %s to %s", hidden, job->dir);
	return dir_sync(spool, e);
}

static int job_open(struct host_job *job, struct err *e)
{
	if (settings_load(&job->settings, e) < 0 ||
	    setting_need(&job->settings, SET_SPOOL_DIR, "spool", e) < 0 ||
	    queue_wait_begin(&job->queue, &job->settings, e) < 0)
		return -1;
	const char *spool = job->settings.value[SET_SPOOL_DIR];
	if (dir_make(spool, e) < 0 || put_kit(spool, &job->spec, e) < 0)
		return -1;
	return put(job, spool, e);
}

static int spool_start(struct host_job **out, const struct host_spec *spec, struct err *e)
{
	struct host_job *job = xcalloc(1, sizeof(*job));
	str_init(&job->why);
	job->spec = *spec;
	job->bundle = xstrdup(spec->bundle_dir);
	job->spec.bundle_dir = job->bundle;
	if (job_open(job, e) < 0) {
		job_free(&job);
		return -1;
	}
	*out = job;
	return 0;
}

static bool has_answer(const struct host_job *job)
{
	AUTO_FREE char *answer = path_join(job->dir, DELIVERY_ANSWER);
	return file_exists(answer);
}

static void take(struct host_job *job, struct host_status *st)
{
	if (delivery_take(job->dir, &job->spec, st, &job->why))
		return;
	if (!job->broken_ns)
		job->broken_ns = clock_mono_ns();
	if (clock_mono_ns() - job->broken_ns > SETTLE_NS)
		host_status_trouble(st, TROUBLE_damaged_answer, job->why.text);
}

/* Where the worker serves this very folder, `taken` tells that it is at work, and its lock that it
 * lives. */
static void look_at_worker(struct host_job *job, struct host_status *st)
{
	AUTO_FREE char *taken = path_join(job->dir, "taken");
	AUTO_LOCK struct lock lock = LOCK_INIT;
	struct err e = { 0 };
	if (!file_exists(taken)) {
		job->queue.work_ns = 0;
		return;
	}
	if (!job->queue.work_ns)
		job->queue.work_ns = clock_mono_ns();
	if (lock_take(&lock, taken, &e) < 0 || has_answer(job) || !file_exists(taken))
		return;
	host_status_trouble(st, TROUBLE_worker_killed, "the worker of the spool is gone");
}

static void look(struct host_job *job, const struct host_watch *watch, struct host_status *st)
{
	AUTO_FREE char *where =
		xasprintf("waiting for forge-worker spool %s", job->settings.value[SET_SPOOL_DIR]);
	if (has_answer(job)) {
		take(job, st);
		return;
	}
	if (!file_is_dir(job->dir)) {
		host_status_trouble(st, TROUBLE_cancelled, "it was removed from the spool");
		return;
	}
	look_at_worker(job, st);
	if (st->end != HOST_RUNNING)
		return;
	if (job->queue.work_ns && job->spec.deadline_ns &&
	    clock_mono_ns() - job->queue.work_ns > job->spec.deadline_ns + GRACE_NS)
		host_status_trouble(st, TROUBLE_timed_out, "the worker does not answer");
	else if (queue_wait_is_over(&job->queue))
		host_status_trouble(st, TROUBLE_never_started, where);
	else if (!job->queue.work_ns)
		queue_wait_tell(&job->queue, where, watch);
}

static int spool_poll(struct host_job *job, uint64_t wait_ns, const struct host_watch *watch,
		      struct host_status *st, struct err *e)
{
	(void)e;
	*st = (struct host_status){ .end = HOST_RUNNING };
	look(job, watch, st);
	if (st->end == HOST_DONE)
		return 0;
	if (job->spec.stop && *job->spec.stop) {
		*st = (struct host_status){ .end = HOST_STOPPED, .text = "stopped" };
		job->stays = job->spec.can_resume;
		if (job->stays)
			log_info("%s stays in the spool; the same command finds its answer",
				 path_base(job->dir));
	}
	if (st->end == HOST_RUNNING)
		clock_sleep_ns(wait_ns < LOOK_NS ? wait_ns : LOOK_NS);
	if (st->end != HOST_DONE)
		st->work_s = queue_wait_work_s(&job->queue);
	return 0;
}

static int spool_fetch(struct host_job *job, struct err *e)
{
	/* Taken when it appeared. */
	(void)job;
	(void)e;
	return 0;
}

static void spool_stop(struct host_job **slot)
{
	struct host_job *job = *slot;
	struct err e = { 0 };
	if (!job)
		return;
	if (!job->stays && tree_remove(job->dir, &e) < 0)
		log_warn("%s stays in the spool: %s", path_base(job->dir), e.text);
	job_free(slot);
}

static int spool_check(bool asks, struct str *what, struct err *e)
{
	AUTO_SETTINGS struct settings s = { 0 };
	if (settings_load(&s, e) < 0 || setting_need(&s, SET_SPOOL_DIR, "spool", e) < 0)
		return -1;
	const char *dir = s.value[SET_SPOOL_DIR];
	str_add(what, dir);
	if (!asks || !file_is_dir(dir))
		return 0;
	if (access(dir, W_OK) < 0)
		return err_errno(e, ERR_SYSTEM, "write into %s", dir);
	return 0;
}

const struct host_ops host_spool = { .name = "spool",
				     .is_remote = true,
				     .keeps_jobs = true,
				     .start = spool_start,
				     .poll = spool_poll,
				     .fetch = spool_fetch,
				     .stop = spool_stop,
				     .check = spool_check };
