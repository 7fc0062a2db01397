#include "build/gpu_measure.h"

/* The source is ours and lies inside of this program, because a worker travels alone; so no jail is
 * needed, but limits are: a compiler or a device that hangs must not keep a job. */

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "build/cuda_toolkit.h"
#include "sys/gpu.h"
#include "sys/proc.h"

#define COMPILE_NS (180 * NS_PER_S)
#define RUN_NS (60 * NS_PER_S)
#define VERSION_NS (20 * NS_PER_S)

__asm__(".pushsection .rodata\n"
	".globl gpu_measure_source\n"
	"gpu_measure_source:\n"
	".incbin \"src/build/gpu_measure.cu\"\n"
	".byte 0\n"
	".popsection\n");
extern const char gpu_measure_source[];

struct reading {
	const char *name;
	double *rate; /* or */
	const char **text;
	bool is_read;
};

static int take_value(struct reading *r, const char *value, struct arena *a, struct err *e)
{
	char *end = NULL;
	if (r->is_read)
		return err_set(e, ERR_INPUT, "ceilings of the GPU: %s is told twice", r->name);
	r->is_read = true;
	if (r->text) {
		*r->text = arena_strdup(a, value);
		return *value ? 0
			      : err_set(e, ERR_INPUT, "ceilings of the GPU: %s is empty", r->name);
	}
	*r->rate = strtod(value, &end);
	if (end == value || *end || !(*r->rate > 0 && *r->rate < 1e18))
		return err_set(e, ERR_INPUT, "ceilings of the GPU: %s of %.60s is no rate", r->name,
			       value);
	return 0;
}

static int take_line(struct reading *rows, size_t nr, const char *line, struct arena *a,
		     struct err *e)
{
	const size_t len = strcspn(line, " ");
	for (size_t i = 0; i < nr; i++)
		if (strlen(rows[i].name) == len && memcmp(line, rows[i].name, len) == 0)
			return take_value(&rows[i], line[len] ? line + len + 1 : "", a, e);
	return err_set(e, ERR_INPUT, "ceilings of the GPU: nobody asked for \"%.60s\"", line);
}

int gpu_measure_parse(const char *text, struct ceilings *c, struct arena *a, struct err *e)
{
	struct reading rows[] = {
		{ .name = "copy_bytes_per_s", .rate = &c->copy_bytes_per_s },
		{ .name = "matrix_flops_per_s", .rate = &c->matrix_flops_per_s },
		{ .name = "matrix_method", .text = &c->matrix_method },
		{ .name = "f32_flops_per_s", .rate = &c->f32_flops_per_s },
	};
	AUTO_STRV struct strv lines = { 0 };
	strv_split(&lines, text, "\n");
	for (size_t i = 0; i < lines.nr; i++)
		if (take_line(rows, ARRAY_LEN(rows), lines.items[i], a, e) < 0)
			return -1;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (!rows[i].is_read)
			return err_set(e, ERR_INPUT, "ceilings of the GPU: no %s", rows[i].name);
	return 0;
}

static void remove_dir(char **slot)
{
	struct err ignored = { 0 };
	if (*slot)
		tree_remove(*slot, &ignored);
	free(*slot);
}

static char *make_dir(struct err *e)
{
	const char *tmp = getenv("TMPDIR");
	AUTO_FREE char *dir = xasprintf("%s/forge-gpu-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (mkdtemp(dir))
		return take_ptr(&dir);
	err_errno(e, ERR_SYSTEM, "make %s", dir);
	return NULL;
}

/* 0: it ran to its end and said exit 0; its last words are in the error else. */
static int run(const char *const *argv, uint64_t deadline_ns, struct proc_result *r, struct err *e)
{
	const struct proc_spec spec = { .argv = argv, .deadline_ns = deadline_ns };
	if (proc_run(r, &spec, e) < 0)
		return -1;
	if (proc_result_is_ok(r))
		return 0;
	AUTO_STR struct str how = STR_INIT;
	proc_result_describe(r, &how);
	return err_set(e, ERR_CHILD, "%s: %s: %.300s", path_base(argv[0]), how.text,
		       r->err.len ? r->err.text : r->out.text);
}

/* "sm_90a" -> "-gencode=arch=compute_90a,code=sm_90a": the short form compiles a plain sm_90 pass
 * as well in some versions. */
static char *target_of(const char *arch)
{
	return xasprintf("-gencode=arch=compute_%s,code=%s", arch + strlen("sm_"), arch);
}

static int compile(const char *root, const char *dir, const char *arch, struct err *e)
{
	AUTO_FREE char *nvcc = path_join(root, "bin/nvcc");
	AUTO_FREE char *source = path_join(dir, "measure.cu");
	AUTO_FREE char *program = path_join(dir, "measure");
	AUTO_FREE char *target = target_of(arch);
	AUTO_PROC_RESULT struct proc_result r = { 0 };
	const char *const argv[] = {
		nvcc, "-O3", "-std=c++17", target, "-o", program, source, NULL
	};
	if (file_write_text(source, gpu_measure_source, e) < 0)
		return -1;
	return run(argv, COMPILE_NS, &r, e);
}

static const char *version_of(const char *root, struct arena *a)
{
	AUTO_FREE char *nvcc = path_join(root, "bin/nvcc");
	AUTO_PROC_RESULT struct proc_result r = { 0 };
	struct err ignored = { 0 };
	const char *const argv[] = { nvcc, "--version", NULL };
	if (run(argv, VERSION_NS, &r, &ignored) < 0)
		return "";
	const char *at = strstr(r.out.text, "release ");
	while (at && at > r.out.text && at[-1] != '\n')
		at--;
	return at ? arena_strndup(a, at, strcspn(at, "\n")) : "";
}

static int measure_in(const char *root, const struct gpu *g, struct ceilings *c, struct arena *a,
		      struct err *e)
{
	__attribute__((cleanup(remove_dir))) char *dir = make_dir(e);
	AUTO_PROC_RESULT struct proc_result r = { 0 };
	if (!dir || compile(root, dir, c->arch, e) < 0)
		return -1;
	AUTO_FREE char *program = path_join(dir, "measure");
	const char *const argv[] = { program, NULL };
	if (run(argv, RUN_NS, &r, e) < 0)
		return err_wrap(e, "on %s", g->name);
	return gpu_measure_parse(r.out.text, c, a, e);
}

int gpu_measure_now(const struct gpu *g, struct ceilings *c, struct arena *a, struct err *e)
{
	char arch[16];
	char date[32];
	char fingerprint[GPU_FINGERPRINT_LEN + 1];
	AUTO_FREE char *root = cuda_toolkit_find(e);
	if (!root)
		return -1;
	gpu_arch(g, arch);
	gpu_fingerprint(g, fingerprint);
	clock_format_wall(clock_wall_ns(), date);
	*c = (struct ceilings){ .fingerprint = arena_strdup(a, fingerprint),
				.device = arena_strdup(a, g->name),
				.arch = arena_strdup(a, arch),
				.compiler = version_of(root, a),
				.date = arena_strdup(a, date),
				.driver = g->driver };
	return measure_in(root, g, c, a, e) < 0 ? err_wrap(e, "measure the ceilings") : 0;
}

int gpu_measure_ceilings(const struct gpu *g, bool may_measure, struct gpu_ceilings *out,
			 struct err *e)
{
	char fingerprint[GPU_FINGERPRINT_LEN + 1];
	struct err why = { 0 };
	*out = (struct gpu_ceilings){ 0 };
	gpu_fingerprint(g, fingerprint);
	if (ceilings_load(&out->c, fingerprint, &out->arena, &out->is_there, e) < 0)
		return -1;
	if (out->is_there || !may_measure)
		return 0;
	if (gpu_measure_now(g, &out->c, &out->arena, e) < 0)
		return -1;
	out->is_there = true;
	if (ceilings_save(&out->c, &why) < 0)
		out->trouble = xstrdup(why.text);
	return 0;
}

void gpu_ceilings_release(struct gpu_ceilings *k)
{
	free(k->trouble);
	arena_release(&k->arena);
	*k = (struct gpu_ceilings){ 0 };
}
