#include "engine/on_host.h"

#include <stdio.h>

#include "base/clock.h"
#include "base/digest.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "build/backend.h"
#include "engine/engine.h"
#include "host/host.h"
#include "model/job.h"

/* The worker ends by its own deadline; this one is for a worker that cannot. */
#define BACKSTOP_S 120.0

static const struct host_ops *ops_of(const struct on_host *h)
{
	return h->host && h->host->ops ? h->host->ops : &host_local;
}

static struct host_spec spec_of(const struct on_host *h, const char *bundle_dir)
{
	return (struct host_spec){ .bundle_dir = bundle_dir,
				   .worker_path = h->host ? h->host->worker_path : NULL,
				   .cache_dir = h->host && h->host->cache_dir
							? h->host->cache_dir
							: getenv("FORGE_CACHE"),
				   .can_resume = h->can_resume,
				   .asker = h->asker,
				   .stop = h->hooks ? h->hooks->stop_signal : NULL };
}

static void show_wait(const struct on_host *h, const char *why)
{
	AUTO_FREE char *text = xasprintf("%s: %s", h->job_id ? h->job_id : "probe", why);
	if (h->hooks->see_wait)
		h->hooks->see_wait(h->hooks->ctx, h->state, text);
}

/* "r0007-screen: time 3 of 8" for a live line. */
static void show_progress(const json_t *progress, void *ctx)
{
	const struct on_host *h = ctx;
	const char *wait = json_text_or(progress, "wait", NULL);
	char text[160];
	if (h->hooks && wait)
		show_wait(h, wait);
	if (!h->hooks || !h->hooks->see_progress || wait)
		return;
	snprintf(text, sizeof(text), "%s: %s %lld of %lld", h->job_id,
		 json_text_or(progress, "progress", "at work"),
		 (long long)json_int_or(progress, "done", 0),
		 (long long)json_int_or(progress, "total", 0));
	h->hooks->see_progress(h->hooks->ctx, h->state, text);
}

static void keep(struct on_host *h, const struct host_outcome *outcome)
{
	h->is_stopped = outcome->is_stopped;
	h->trouble = outcome->trouble;
	h->queue_s = outcome->queue_s;
}

int on_host_run(struct on_host *h, const char *bundle_dir, struct err *e)
{
	struct job job = { 0 };
	struct host_spec spec = spec_of(h, bundle_dir);
	struct host_outcome outcome = { 0 };
	const struct host_watch watch = { .progress = show_progress, .ctx = h };
	if (job_load(&job, bundle_dir, e) < 0 || digest_tree(bundle_dir, &spec.bundle, e) < 0)
		return -1;
	spec.deadline_ns = (uint64_t)((job.deadline_s + BACKSTOP_S) * 1e9);
	int rc = host_run_job(ops_of(h), &spec, &watch, &outcome, e);
	keep(h, &outcome);
	return rc;
}

json_t *on_host_probe(struct on_host *h, struct err *e)
{
	const struct host_spec spec = spec_of(h, NULL);
	const struct host_watch watch = { .progress = show_progress, .ctx = h };
	struct host_outcome outcome = { 0 };
	json_t *answer = host_probe(ops_of(h), &spec, &watch, &outcome, e);
	keep(h, &outcome);
	return answer;
}

int on_host_check_task(const struct engine_host *host, const struct task *t, struct err *e)
{
	const struct host_ops *ops = host && host->ops ? host->ops : &host_local;
	if (!host && host_choose(&ops, e) < 0)
		return -1;
	return ops == &host_local ? backend_runs_here(t, e) : 0;
}
