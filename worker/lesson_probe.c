#include "worker/lesson_probe.h"

/* The runs take the machine's timing lock one by one: a probe measures, and a trial beside it would
 * measure the probe. A probe in CUDA is compiled for the device that is here and sees that device's
 * files; all else is as for one in C. */

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "build/backend.h"
#include "build/toolbox.h"
#include "sys/gpu.h"
#include "sys/proc.h"
#include "worker/exclusive.h"
#include "worker/progress.h"
#include "worker/worker.h"

enum { NR_RUNS = 3, MAX_LOG = 16 << 10, MAX_SAID = 8 << 10, MAX_TASKS = 1024 };
#define RUN_NS (10 * NS_PER_S)
#define RUN_MEMORY_BYTES (UINT64_C(1) << 30)
/* The driver maps and fills much of its own. */
#define RUN_MEMORY_BYTES_CUDA (UINT64_C(16) << 30)

static const char source_name[] = "probe.c";
static const char source_name_cuda[] = "probe.cu";
static const char *const compile_words[] = { "gcc",      "-std=gnu17", "-O2",    "-march=native",
					     "-fopenmp", "-Wall",      "-Wextra" };
static const char *const shown[] = { "/sys/devices/system/cpu", "/sys/devices/system/node",
				     "/sys/kernel/mm", NULL };
/* Where the driver finds its devices. */
static const char *const shown_cuda[] = { "/sys/devices", "/sys/bus/pci",   "/sys/class",
					  "/sys/module",  "/sys/kernel/mm", NULL };

/* How this probe is compiled and run. */
struct lesson_build {
	struct toolbox box;
	struct strv compiler; /* the program, its flags behind it */
	struct strv behind;   /* what stands behind the source */
	struct strv nodes;
	struct strv env;
	bool is_cuda;
};

static void lesson_build_release(struct lesson_build *b)
{
	toolbox_release(&b->box);
	strv_release(&b->compiler);
	strv_release(&b->behind);
	strv_release(&b->nodes);
	strv_release(&b->env);
}

#define AUTO_LESSON_BUILD __attribute__((cleanup(lesson_build_release)))

static json_t *text_json(const struct str *text, size_t max)
{
	size_t len = text->len < max ? text->len : max;
	json_t *value = json_stringn(text->text, len);
	/* Cut within a character, or no UTF-8 at all. */
	return value ? value : json_string("(not UTF-8)");
}

static int read_version(const struct lesson_build *b, json_t *answer, struct err *e)
{
	AUTO_STRV struct strv argv = { 0 };
	AUTO_PROC_RESULT struct proc_result r = { 0 };
	strv_add(&argv, b->compiler.items[0]);
	strv_add(&argv, "--version");
	if (toolbox_run(&b->box, &argv, MAX_SAID, &r, e) < 0)
		return err_wrap(e, "%s --version", b->compiler.items[0]);
	const char *line = b->is_cuda ? backend_cuda.version_line(r.out.text) : r.out.text;
	json_object_set_new(answer, "compiler", json_stringn(line, strcspn(line, "\n")));
	return 0;
}

static int build(const struct lesson_build *b, json_t *answer, bool *is_built, struct err *e)
{
	AUTO_STRV struct strv argv = { 0 };
	AUTO_PROC_RESULT struct proc_result r = { 0 };
	strv_add_all(&argv, &b->compiler);
	strv_add(&argv, "-o");
	strv_addf(&argv, "%s/probe", b->box.out);
	strv_addf(&argv, "%s/%s", b->box.src, b->is_cuda ? source_name_cuda : source_name);
	strv_add_all(&argv, &b->behind);
	if (toolbox_run(&b->box, &argv, MAX_LOG, &r, e) < 0)
		return err_wrap(e, "%s", b->compiler.items[0]);
	*is_built = proc_result_is_ok(&r);
	json_object_set_new(answer, "built", json_boolean(*is_built));
	json_object_set_new(answer, "log",
			    text_json(r.err.len || !b->is_cuda ? &r.err : &r.out, MAX_LOG));
	return 0;
}

static int run_once(struct worker *w, const struct lesson_build *b, json_t *runs, struct err *e)
{
	const struct toolbox_limits how = { .wall_ns = RUN_NS,
					    .memory_bytes = b->is_cuda ? RUN_MEMORY_BYTES_CUDA
								       : RUN_MEMORY_BYTES,
					    .max_tasks = MAX_TASKS,
					    .shown = b->is_cuda ? shown_cuda : shown,
					    .nodes = (const char *const *)b->nodes.items,
					    .env = (const char *const *)b->env.items,
					    .has_proc = b->is_cuda };
	AUTO_STRV struct strv argv = { 0 };
	AUTO_PROC_RESULT struct proc_result r = { 0 };
	AUTO_STR struct str ended = STR_INIT;
	AUTO_LOCK struct lock lock = LOCK_INIT;
	strv_addf(&argv, "%s/probe", b->box.out);
	exclusive_take(w, &lock);
	int rc = toolbox_run_built(&b->box, &argv, &how, &r, e);
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

static int run_all(struct worker *w, const struct lesson_build *b, json_t *runs, struct err *e)
{
	for (size_t i = 0; i < NR_RUNS; i++) {
		if (worker_check_time(w, e) < 0 || run_once(w, b, runs, e) < 0)
			return -1;
		progress_print("probe", i + 1, NR_RUNS);
	}
	return 0;
}

static void prepare_c(struct lesson_build *b)
{
	for (size_t i = 0; i < ARRAY_LEN(compile_words); i++)
		strv_add(&b->compiler, compile_words[i]);
	strv_add(&b->behind, "-lm");
}

/* The driver's device files, whose names all begin so. */
static int add_nodes(struct strv *nodes, struct err *e)
{
	AUTO_STRV struct strv names = { 0 };
	if (dir_list("/dev", &names, e) < 0)
		return -1;
	for (size_t i = 0; i < names.nr; i++)
		if (str_starts(names.items[i], "nvidia"))
			strv_addf(nodes, "/dev/%s", names.items[i]);
	return 0;
}

static void add_env(struct strv *env)
{
	static const char *const names[] = { "CUDA_VISIBLE_DEVICES", "LD_LIBRARY_PATH" };
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		const char *value = getenv(names[i]);
		if (value)
			strv_addf(env, "%s=%s", names[i], value);
	}
}

static int prepare_cuda(struct lesson_build *b, const char *toolkit, struct err *e)
{
	struct gpu gpu;
	char arch[16];
	if (gpu_probe(&gpu, NULL, e) < 0)
		return -1;
	gpu_arch(&gpu, arch);
	strv_addf(&b->compiler, "%s/bin/nvcc", toolkit);
	strv_add(&b->compiler, "-std=c++17");
	strv_add(&b->compiler, "-O3");
	strv_addf(&b->compiler, "-gencode=arch=compute_%s,code=%s", arch + strlen("sm_"), arch);
	add_env(&b->env);
	return add_nodes(&b->nodes, e);
}

static int prepare(struct worker *w, struct lesson_build *b, struct err *e)
{
	AUTO_FREE char *source = path_join(w->bundle, "lesson");
	AUTO_FREE char *out = path_join(w->bundle, "work");
	AUTO_FREE char *cuda = path_join(source, source_name_cuda);
	b->is_cuda = file_exists(cuda);
	AUTO_FREE char *toolkit = b->is_cuda ? backend_cuda.toolkit(e) : NULL;
	const struct toolbox_spec spec = { .src_dir = source,
					   .out_dir = out,
					   .kit_dir = source,
					   .toolkit = toolkit,
					   .accept_weak = w->job.accept_weak_sandbox };
	if ((b->is_cuda && !toolkit) || dir_make(out, e) < 0 || toolbox_init(&b->box, &spec, e) < 0)
		return -1;
	if (b->is_cuda)
		return prepare_cuda(b, toolkit, e);
	prepare_c(b);
	return 0;
}

int lesson_probe_run(struct worker *w, struct err *e)
{
	AUTO_LESSON_BUILD struct lesson_build b = { .is_cuda = false };
	bool is_built = false;
	AUTO_JSON json_t *answer = json_pack("{s:[]}", "runs");
	if (prepare(w, &b, e) < 0 || read_version(&b, answer, e) < 0 ||
	    build(&b, answer, &is_built, e) < 0)
		return -1;
	if (!b.box.is_jailed)
		worker_note(w, "the probe ran without a jail: %s", b.box.lack);
	if (is_built && run_all(w, &b, json_object_get(answer, "runs"), e) < 0)
		return -1;
	worker_record(w, "probe", json_incref(answer));
	return 0;
}
