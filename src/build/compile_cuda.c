#include "build/compile_cuda.h"
/*
 * nvcc runs the host compiler twice over the source, once for each side, and each sees other
 * #ifdefs. Its own dependency list is of one of them; the line markers of both preprocessed texts,
 * which it keeps, are of both. No PTX is embedded: a driver would compile that anew, to another
 * code than the one that was looked at. Device code stays uncompressed, so that it can be looked
 * at. Kernels are launched by cudaLaunchKernel alone (the older of two protocols between stub and
 * runtime), which leaves one place to see them.
 */

#include <ctype.h>
#include <sys/stat.h>

#include "base/err.h"
#include "base/file.h"
#include "build/compile.h"
#include "build/directive.h"
#include "build/toolbox.h"
#include "sys/proc.h"

enum { COMPILE_LOG_BYTES = 16 << 10, KEPT_MAX_BYTES = 64 << 20 };

static const char *const host_flags[] = {
	"-O2", /* also where a source asks for nothing: see is_handle in screen_cuda.c */
	"-fPIC",
	"-fno-semantic-interposition",
	"-fvisibility=default",
	"-fno-stack-protector",
	"-fcf-protection=none",
	"-fno-common",
	"-fno-lto",
	"-fno-exceptions",
	"-fno-threadsafe-statics",
	"-U_FORTIFY_SOURCE",
	"-g0",
	"-fdiagnostics-color=never",
};

/* "sm_90a" -> "arch=compute_90a,code=sm_90a" */
static void argv_target(struct strv *argv, const char *arch)
{
	const char *number = str_starts(arch, "sm_") ? arch + 3 : arch;
	strv_add(argv, "-gencode");
	strv_addf(argv, "arch=compute_%s,code=%s", number, arch);
}

/* Since CUDA 13; before, there was only the one that is wanted. */
static bool knows_two_protocols(const struct toolbox *t)
{
	struct err ignored = { 0 };
	AUTO_STR struct str text = STR_INIT;
	AUTO_FREE char *path = path_join(t->toolkit, "include/crt/host_runtime.h");
	return file_read(path, KEPT_MAX_BYTES, &text, &ignored) == 0 &&
	       strstr(text.text, "__NV_LEGACY_LAUNCH");
}

static void argv_fill(struct strv *argv, const struct toolbox *t, const struct directive *d,
		      const char *arch)
{
	static const char *const flags[] = { "-rdc=false", "--no-compress", "-Xptxas=-v", "--keep",
					     "--keep-dir" };
	strv_addf(argv, "%s/bin/nvcc", t->toolkit);
	strv_add(argv, "-std=c++17");
	strv_add_all(argv, &d->flags);
	argv_target(argv, arch);
	for (size_t i = 0; i < ARRAY_LEN(host_flags); i++)
		strv_addf(argv, "-Xcompiler=%s", host_flags[i]);
	strv_addf(argv, "-I%s", t->kit);
	if (knows_two_protocols(t))
		strv_add(argv, "-legacy-launch-seq");
	for (size_t i = 0; i < ARRAY_LEN(flags); i++)
		strv_add(argv, flags[i]);
	strv_add(argv, t->out);
	strv_add(argv, "-c");
	strv_add(argv, "-o");
	strv_addf(argv, "%s/%s", t->out, COMPILE_OBJECT_NAME);
	strv_add(argv, COMPILE_CUDA_SOURCE_NAME);
}

static bool is_below(const char *path, const char *dir)
{
	size_t len = dir ? strlen(dir) : 0;
	return len && str_starts(path, dir) && path[len] == '/';
}

/* "/a/b/../c" is "/a/c": nvcc names its own headers from its program's folder on. */
static void collapse(const char *path, struct str *out)
{
	AUTO_STRV struct strv parts = { 0 };
	AUTO_STRV struct strv kept = { 0 };
	strv_split(&parts, path, "/");
	for (size_t i = 0; i < parts.nr; i++) {
		bool is_up = str_equal(parts.items[i], "..");
		if (is_up && kept.nr)
			free(kept.items[--kept.nr]);
		else
			strv_add(&kept, parts.items[i]);
	}
	for (size_t i = 0; i < kept.nr; i++)
		str_addf(out, "%s%s", i || path[0] == '/' ? "/" : "", kept.items[i]);
}

static bool is_fine(const char *path, const char *kit, const char *toolkit)
{
	AUTO_STR struct str plain = STR_INIT;
	collapse(path, &plain);
	return path[0] == '<' || str_equal(path, COMPILE_CUDA_SOURCE_NAME) ||
	       is_below(plain.text, toolkit) || compile_include_is_fine(plain.text, kit);
}

/* The name in `# 12 "path" 1`; empty when the line is something else. */
static void marker_name(const char *line, struct str *name)
{
	const char *p = line + 1;
	str_clear(name);
	while (*p == ' ')
		p++;
	size_t digits = strspn(p, "0123456789");
	if (line[0] != '#' || !digits || p[digits] != ' ' || p[digits + 1] != '"')
		return;
	for (p += digits + 2; *p && *p != '"' && *p != '\n'; p++) {
		p += *p == '\\' && p[1];
		str_add_char(name, *p);
	}
}

char *compile_cuda_foreign(const char *text, const char *kit, const char *toolkit)
{
	AUTO_STR struct str name = STR_INIT;
	for (const char *line = text; *line;) {
		marker_name(line, &name);
		if (name.len && !is_fine(name.text, kit, toolkit))
			return str_take(&name);
		line += strcspn(line, "\n");
		line += *line == '\n';
	}
	return NULL;
}

/* A file that nvcc kept whose name ends so; yours, or NULL. */
static char *kept_find(const struct toolbox *t, const char *ending)
{
	struct err ignored = { 0 };
	AUTO_STRV struct strv names = { 0 };
	if (dir_list(t->out_dir, &names, &ignored) < 0)
		return NULL;
	for (size_t i = 0; i < names.nr; i++)
		if (str_ends(names.items[i], ending))
			return path_join(t->out_dir, names.items[i]);
	return NULL;
}

static int kept_read(const struct toolbox *t, const char *ending, struct str *out, struct err *e)
{
	AUTO_FREE char *path = kept_find(t, ending);
	return path ? file_read(path, KEPT_MAX_BYTES, out, e) : 0;
}

int compile_cuda_ptx(const struct toolbox *t, struct str *out, struct err *e)
{
	return kept_read(t, ".ptx", out, e);
}

/* Also after a failure, as far as it got. */
static int includes_check(const struct toolbox *t, struct verdict *v, struct err *e)
{
	static const char *const endings[] = { ".cpp1.ii", ".cpp4.ii" };
	for (size_t i = 0; i < ARRAY_LEN(endings); i++) {
		AUTO_STR struct str text = STR_INIT;
		if (kept_read(t, endings[i], &text, e) < 0)
			return -1;
		AUTO_FREE char *foreign = compile_cuda_foreign(text.text, t->kit, t->toolkit);
		if (!foreign)
			continue;
		*v = verdict_make(REASON_forbidden_include,
				  "include %.150s: not in the kit, the CUDA toolkit or the system",
				  foreign);
		return 0;
	}
	return 0;
}

static struct verdict failure(const struct proc_result *r, const char *log)
{
	AUTO_FREE char *missing = compile_missing_include(log);
	if (missing)
		return verdict_make(REASON_forbidden_include,
				    "include %.150s: not in the kit, the CUDA toolkit or the "
				    "system",
				    missing);
	AUTO_STR struct str how = STR_INIT;
	proc_result_describe(r, &how);
	char first[200];
	compile_first_error(log, first, sizeof(first));
	return verdict_make(REASON_compile_failed, "%s", first[0] ? first : how.text);
}

int compile_cuda_run(const struct toolbox *t, const struct directive *d, const char *arch,
		     struct verdict *v, struct str *log, struct err *e)
{
	*v = (struct verdict){ 0 };
	AUTO_STRV struct strv argv = { 0 };
	argv_fill(&argv, t, d, arch);
	AUTO_PROC_RESULT struct proc_result r = { 0 };
	if (toolbox_run(t, &argv, 2 * COMPILE_LOG_BYTES, &r, e) < 0)
		return err_wrap(e, "compile");
	/* ptxas and the host compiler write to one stream, nvcc's front end to the other. */
	compile_log_add(t, log, r.out.text);
	compile_log_add(t, log, r.err.text);
	if (!proc_result_is_ok(&r))
		*v = failure(&r, log->text);
	if (includes_check(t, v, e) < 0)
		return -1;
	if (v->reason == REASON_forbidden_include)
		str_clear(log);
	return 0;
}
