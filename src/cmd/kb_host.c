#include "cmd/kb_host.h"

/* A probe travels like a kernel: a bundle with job.json and lesson/probe.c or probe.cu, which comes
 * back with result.json. */

#include <stdio.h>

#include "base/digest.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/log.h"
#include "base/str.h"
#include "cmd/hand.h"
#include "host/host.h"
#include "know/lesson.h"
#include "model/job.h"
#include "model/result.h"

/* A build, three runs of 10 s, and some waiting for other measurements. */
#define JOB_S 300.0
#define BACKSTOP_NS (UINT64_C(360) * 1000000000)

static int make_bundle(const char *dir, const char *probe, struct err *e)
{
	AUTO_FREE char *folder = path_join(dir, "lesson");
	AUTO_FREE char *copy = path_join(folder, str_ends(probe, ".cu") ? "probe.cu" : "probe.c");
	struct job job = {
		.id = "lesson", .kind = JOB_LESSON, .accept_weak_sandbox = true, .deadline_s = JOB_S
	};
	if (dir_make(folder, e) < 0 || file_copy(probe, copy, e) < 0)
		return -1;
	return job_save(&job, dir, e);
}

/* What lies in the host and not in the probe comes with every probe; it is told once. */
static void warn_of(struct kb_host *h, const json_t *notes)
{
	size_t i;
	json_t *note;
	json_array_foreach(notes, i, note)
	{
		const char *text = json_string_value(note);
		if (!text || strv_has(&h->told, text))
			continue;
		strv_add(&h->told, text);
		log_warn("%s", text);
	}
}

static json_t *read_result(struct kb_host *h, const char *dir, struct err *e)
{
	AUTO_RESULT struct result result = { 0 };
	if (result_load(&result, dir, e) < 0)
		return NULL;
	if (result.error) {
		err_set(e, ERR_CHILD, "%s", result.error);
		return NULL;
	}
	warn_of(h, json_object_get(result.doc, "notes"));
	json_t *answer = json_object_get(result.doc, "probe");
	if (!json_is_object(answer)) {
		err_set(e, ERR_CHILD, "the worker's result has no \"probe\"; is it of this forge?");
		return NULL;
	}
	return json_incref(answer);
}

/* A queue may be long, and nobody may serve it: what is waited for is said. */
static void show_wait(const json_t *progress, void *ctx)
{
	const char *why = json_text_or(progress, "wait", NULL);
	(void)ctx;
	if (why)
		log_info("%s", why);
}

static const struct host_watch watch = { .progress = show_wait };

static json_t *run_probe(void *ctx, const char *path, struct err *e)
{
	struct kb_host *h = ctx;
	AUTO_TEMP_DIR char *dir = hand_temp_dir("probe", e);
	struct host_spec spec = { .bundle_dir = dir, .deadline_ns = BACKSTOP_NS, .stop = h->stop };
	if (!dir || make_bundle(dir, path, e) < 0 || digest_tree(dir, &spec.bundle, e) < 0 ||
	    host_run_job(h->host, &spec, &watch, NULL, e) < 0)
		return NULL;
	return read_result(h, dir, e);
}

static int pick(struct kb_host *h, const char *name, struct err *e)
{
	AUTO_STR struct str ignored = STR_INIT;
	if (!name)
		return host_choose(&h->host, e);
	h->host = host_find(name);
	if (!h->host)
		return err_set(e, ERR_USAGE, "there is no host \"%s\"; local, ssh, slurm or spool",
			       name);
	return h->host->check(false, &ignored, e);
}

int kb_host_open(struct kb_host *h, const char *name, struct err *e)
{
	struct host_outcome ignored = { 0 };
	*h = (struct kb_host){ .stop = stop_signal_install(),
			       .probes = { .run = run_probe, .ctx = h } };
	if (pick(h, name, e) < 0)
		return -1;
	const struct host_spec spec = { .stop = h->stop };
	AUTO_JSON json_t *machine = host_probe(h->host, &spec, &watch, &ignored, e);
	if (!machine)
		return err_wrap(e, "host %s", h->host->name);
	kb_device_read(&h->device, h->host->name, machine);
	return 0;
}

void kb_host_close(struct kb_host *h)
{
	kb_device_release(&h->device);
	strv_release(&h->told);
}
