#include "worker/lesson_probe.h"

/* The runs take the machine's timing lock one by one: a probe measures, and a trial beside it would
 * measure the probe. */

#include <jansson.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "build/toolbox.h"
#include "sys/proc.h"
#include "worker/exclusive.h"
#include "worker/progress.h"
#include "worker/worker.h"

enum { NR_RUNS = 3, MAX_LOG = 16 << 10, MAX_SAID = 8 << 10, MAX_TASKS = 1024 };
#define RUN_NS (10 * NS_PER_S)
#define RUN_MEMORY_BYTES (UINT64_C(1) << 30)

static const char source_name[] = "probe.c";
static const char *const compile_words[] = { "gcc",      "-std=gnu17", "-O2",    "-march=native",
					     "-fopenmp", "-Wall",      "-Wextra" };
static const char *const shown[] = { "/sys/devices/system/cpu", "/sys/devices/system/node",
				     "/sys/kernel/mm", NULL };

static json_t *text_json(const struct str *text, size_t max)
{
	size_t len = text->len < max ? text->len : max;
	json_t *value = json_stringn(text->text, len);
	/* Cut within a character, or no UTF-8 at all. */
	return value ? value : json_string("(not UTF-8)");
}

static int read_version(const struct toolbox *t, json_t *answer, struct err *e)
{
	AUTO_STRV struct strv argv = { 0 };
	AUTO_PROC_RESULT struct proc_result r = { 0 };
	strv_add(&argv, compile_words[0]);
	strv_add(&argv, "--version");
	if (toolbox_run(t, &argv, MAX_SAID, &r, e) < 0)
		return err_wrap(e, "%s --version", compile_words[0]);
	json_object_set_new(answer, "compiler",
			    json_stringn(r.out.text, strcspn(r.out.text, "\n")));
	return 0;
}

static int build(const struct toolbox *t, json_t *answer, bool *is_built, struct err *e)
{
	AUTO_STRV struct strv argv = { 0 };
	AUTO_PROC_RESULT struct proc_result r = { 0 };
	for (size_t i = 0; i < ARRAY_LEN(compile_words); i++)
		strv_add(&argv, compile_words[i]);
	strv_add(&argv, "-o");
	strv_addf(&argv, "%s/probe", t->out);
	strv_addf(&argv, "%s/%s", t->src, source_name);
	strv_add(&argv, "-lm");
	if (toolbox_run(t, &argv, MAX_LOG, &r, e) < 0)
		return err_wrap(e, "%s", compile_words[0]);
	*is_built = proc_result_is_ok(&r);
	json_object_set_new(answer, "built", json_boolean(*is_built));
	json_object_set_new(answer, "log", text_json(&r.err, MAX_LOG));
	return 0;
}

static int run_once(struct worker *w, const struct toolbox *t, json_t *runs, struct err *e)
{
	static const struct toolbox_limits how = { .wall_ns = RUN_NS,
						   .memory_bytes = RUN_MEMORY_BYTES,
						   .max_tasks = MAX_TASKS,
						   .shown = shown };
	AUTO_STRV struct strv argv = { 0 };
	AUTO_PROC_RESULT struct proc_result r = { 0 };
	AUTO_STR struct str ended = STR_INIT;
	AUTO_LOCK struct lock lock = LOCK_INIT;
	strv_addf(&argv, "%s/probe", t->out);
	exclusive_take(w, &lock);
	int rc = toolbox_run_built(t, &argv, &how, &r, e);
	exclusive_give(w, &lock);
	if (rc < 0)
		return err_wrap(e, "the probe");
	proc_result_describe(&r, &ended);
	json_array_append_new(runs, json_pack("{s:i, s:s, s:f, s:o, s:o}", "exit", r.exit_code,
					      "how", ended.text, "seconds", r.seconds, "out",
					      text_json(&r.out, MAX_LOG), "err",
					      text_json(&r.err, MAX_SAID)));
	return 0;
}

static int run_all(struct worker *w, const struct toolbox *t, json_t *runs, struct err *e)
{
	for (size_t i = 0; i < NR_RUNS; i++) {
		if (worker_check_time(w, e) < 0 || run_once(w, t, runs, e) < 0)
			return -1;
		progress_print("probe", i + 1, NR_RUNS);
	}
	return 0;
}

int lesson_probe_run(struct worker *w, struct err *e)
{
	AUTO_FREE char *source = path_join(w->bundle, "lesson");
	AUTO_FREE char *out = path_join(w->bundle, "work");
	AUTO_TOOLBOX struct toolbox t = { 0 };
	bool is_built = false;
	const struct toolbox_spec spec = { .src_dir = source,
					   .out_dir = out,
					   .kit_dir = source,
					   .accept_weak = w->job.accept_weak_sandbox };
	AUTO_JSON json_t *answer = json_pack("{s:[]}", "runs");
	if (dir_make(out, e) < 0 || toolbox_init(&t, &spec, e) < 0 ||
	    read_version(&t, answer, e) < 0 || build(&t, answer, &is_built, e) < 0)
		return -1;
	if (!t.is_jailed)
		worker_note(w, "the probe ran without a jail: %s", t.lack);
	if (is_built && run_all(w, &t, json_object_get(answer, "runs"), e) < 0)
		return -1;
	worker_record(w, "probe", json_incref(answer));
	return 0;
}
