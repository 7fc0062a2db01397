#include "host/host.h"

/*
 * A folder. Deliveries appear in it whole, `forge-worker spool` executes them wherever the folder
 * was copied to, and answers are taken when they appear. Nobody says whether a worker is there, so
 * a job waits for as long as the user lets it; a forge that was stopped or killed finds its
 * delivery again by name and digest. An answer may be copied back file by file: one that is not
 * whole is looked at again, as long as something of it still arrives and a while more. Copies stay
 * where they were made, so that an older answer may come back: each asking has a name of its own.
 */

#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/digest.h"
#include "base/err.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/rng.h"
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
	char ask[17];         /* of the order */
	struct err unfit;     /* why nothing could be put there */
	uint64_t broken_ns;   /* since when an answer is there that is not whole; 0: none */
	struct digest broken; /* of the delivery then */
	bool stays;           /* in the spool */
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

static int draw_ask(struct host_job *job, struct err *e)
{
	uint64_t drawn = 0;
	if (rng_draw_seed(&drawn, e) < 0)
		return -1;
	snprintf(job->ask, sizeof(job->ask), "%016llx", (unsigned long long)drawn);
	return 0;
}

/* The delivery of this very bundle that stands there already is ours. */
static bool find_again(struct host_job *job)
{
	AUTO_ORDER struct order order = { 0 };
	struct err ignored = { 0 };
	if (!delivery_is_of(job->dir, &job->spec) || order_load(&order, job->dir, &ignored) < 0)
		return false;
	snprintf(job->ask, sizeof(job->ask), "%s", order.ask);
	return true;
}

static struct delivery_spec delivery_of(const struct host_job *job)
{
	return (struct delivery_spec){ .host = &job->spec,
				       .settings = &job->settings,
				       .ask = job->ask };
}

static int put(struct host_job *job, const char *spool, struct err *e)
{
	const struct delivery_spec delivery = delivery_of(job);
	AUTO_FREE char *name = delivery_name(&job->spec);
	AUTO_FREE char *hidden = xasprintf("%s/.%s", spool, name);
	job->dir = path_join(spool, name);
	if (find_again(job)) {
		log_info("%s: found in the spool again", name);
		return 0;
	}
	/* Built under a name that no worker looks at. */
	if (draw_ask(job, e) < 0 || tree_remove(job->dir, e) < 0 || tree_remove(hidden, e) < 0 ||
	    dir_make_whole(hidden, fill, &delivery, e) < 0)
		return -1;
	if (rename(hidden, job->dir) < 0)
		return err_errno(e, ERR_SYSTEM, "rename %s to %s", hidden, job->dir);
	return dir_sync(spool, e);
}

/* A folder that can not be used, or is full, is a trouble of the place: it says nothing of the job.
 */
static int job_open(struct host_job *job, struct err *e)
{
	if (settings_load(&job->settings, e) < 0 ||
	    setting_need(&job->settings, SET_SPOOL_DIR, "spool", e) < 0 ||
	    queue_wait_begin(&job->queue, &job->settings, e) < 0)
		return -1;
	const char *spool = job->settings.value[SET_SPOOL_DIR];
	struct err *why = &job->unfit;
	if (dir_make(spool, why) == 0 && put_kit(spool, &job->spec, why) == 0)
		put(job, spool, why);
	return 0;
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
	return answer_is_there(job->dir, job->ask);
}

/* What came back with an older asking goes, also its order, which the next worker would answer. */
static void drop_old(const struct host_job *job)
{
	AUTO_FREE char *answer = path_join(job->dir, DELIVERY_ANSWER);
	AUTO_ORDER struct order order = { 0 };
	const struct delivery_spec delivery = delivery_of(job);
	struct err ignored = { 0 };
	if (!file_exists(answer) || has_answer(job))
		return;
	log_info("%s: the answer that came is of an older asking; it is dropped",
		 path_base(job->dir));
	unlink(answer);
	if (order_load(&order, job->dir, &ignored) < 0 || !str_equal(order.ask, job->ask))
		delivery_save_order(job->dir, &delivery, &ignored);
}

static void take(struct host_job *job, struct host_status *st)
{
	struct digest now = { "" };
	struct err ignored = { 0 };
	if (delivery_take(job->dir, &job->spec, st, &job->why))
		return;
	digest_tree(job->dir, &now, &ignored);
	if (!job->broken_ns || !str_equal(now.hex, job->broken.hex))
		job->broken_ns = clock_mono_ns();
	job->broken = now;
	if (clock_mono_ns() - job->broken_ns > SETTLE_NS)
		host_status_trouble(st, TROUBLE_damaged_answer, job->why.text);
}

/* Where the worker serves this very folder, `taken` tells that it is at it, its lock that it lives,
 * and `works` that the devices are free and the job has begun. */
static void look_at_worker(struct host_job *job, struct host_status *st)
{
	AUTO_FREE char *taken = path_join(job->dir, DELIVERY_TAKEN);
	AUTO_FREE char *works = path_join(job->dir, DELIVERY_WORKS);
	AUTO_LOCK struct lock lock = LOCK_INIT;
	struct err e = { 0 };
	const bool is_taken = lock_is_original(taken);
	if (!is_taken || !file_exists(works))
		job->queue.work_ns = 0;
	else if (!job->queue.work_ns)
		job->queue.work_ns = clock_mono_ns();
	if (!is_taken)
		return;
	if (lock_take(&lock, taken, &e) < 0 || has_answer(job) || !file_exists(taken))
		return;
	host_status_trouble(st, TROUBLE_worker_killed, "the worker of the spool is gone");
}

static void look(struct host_job *job, const struct host_watch *watch, struct host_status *st)
{
	AUTO_FREE char *where =
		xasprintf("waiting for forge-worker spool %s", job->settings.value[SET_SPOOL_DIR]);
	drop_old(job);
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
	if (job->unfit.kind != ERR_NONE) {
		host_status_trouble(st, trouble_of_command(1, job->unfit.text, TROUBLE_no_workdir),
				    job->unfit.text);
		return 0;
	}
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
	if (job->dir && !job->stays && tree_remove(job->dir, &e) < 0)
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
