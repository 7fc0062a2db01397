/*
 * A task, a scratch folder and one call: what every build test needs. The kernel under test is
 *     void kernel(const float *x, float *y, int64_t n, float s)
 */
#ifndef FORGE_TEST_BUILD_FIXTURE_H
#define FORGE_TEST_BUILD_FIXTURE_H

#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/str.h"
#include "build/build.h"
#include "model/task.h"
#include "sys/proc.h"
#include "test.h"

#define KERNEL "void kernel(const float *x, float *y, int64_t n, float s)\n"
#define HEAD "#include <forge/kernel.h>\n"
#define SCALE KERNEL "{ for (int64_t i = 0; i < n; i++) y[i] = x[i] * s; }\n"

struct fixture {
	char dir[32];
	struct task task;
	struct arg args[4];
	struct build_spec spec;
	char *source_path;
	char *out_dir;
	char *cache_dir;
};

static void __attribute__((unused)) fixture_init(struct fixture *f, unsigned threads)
{
	struct err e = { 0 };
	*f = (struct fixture){ .dir = "/tmp/forge-test-XXXXXX" };
	CHECK(mkdtemp(f->dir));
	f->args[0] = (struct arg){ .name = "x", .role = ARG_IN, .dtype = DTYPE_F32 };
	f->args[1] = (struct arg){ .name = "y", .role = ARG_OUT, .dtype = DTYPE_F32 };
	f->args[2] = (struct arg){ .name = "n", .role = ARG_SCALAR, .dtype = DTYPE_I64 };
	f->args[3] = (struct arg){ .name = "s", .role = ARG_SCALAR, .dtype = DTYPE_F32 };
	f->task = (struct task){
		.entry = "kernel", .threads = threads, .args = f->args, .nr_args = 4
	};
	f->source_path = path_join(f->dir, "source.c");
	f->out_dir = path_join(f->dir, "out");
	f->cache_dir = path_join(f->dir, "cache");
	f->spec = (struct build_spec){ .task = &f->task,
				       .role = BUILD_CANDIDATE,
				       .source_path = f->source_path,
				       .out_dir = f->out_dir,
				       .nr_layouts = 1,
				       .layout_seed = 7,
				       .kit_dir = "include",
				       .accept_weak = true };
	CHECK_OK(dir_make(f->out_dir, &e));
}

static void __attribute__((unused)) fixture_release(struct fixture *f)
{
	struct err e = { 0 };
	CHECK_OK(tree_remove(f->dir, &e));
	free(f->source_path);
	free(f->out_dir);
	free(f->cache_dir);
}

/* Build a source with the flags ("gcc -O2") as its directive, which starts its first line. */
static void __attribute__((unused))
fixture_build(struct fixture *f, const char *flags, const char *source, struct build *b)
{
	struct err e = { 0 };
	AUTO_FREE char *text = xasprintf("/* forge-build: %s */ %s", flags, source);
	CHECK_OK(file_write_text(f->source_path, text, &e));
	CHECK_OK(build_run(b, &f->spec, &e));
}

static bool __attribute__((unused)) has_program(const char *name)
{
	AUTO_FREE char *path = proc_find(name);
	return path != NULL;
}

/* Loads an object as a runner would, calls it with (x = 1..8, y, n = 8, s = 3) and prints y[1], the
 * floating-point mode before the load and after the call, and where the entry lies. */
static const char loader_source[] =
	"#include <dlfcn.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <xmmintrin.h>\n"
	"int main(int argc, char **argv) {\n"
	"	unsigned before = _mm_getcsr() & 0xffc0;\n"
	"	void *so = dlopen(argv[argc - 1], RTLD_NOW | RTLD_LOCAL);\n"
	"	if (!so) { printf(\"%s\\n\", dlerror()); return 1; }\n"
	"	void (*entry)(void *const *) = (void (*)(void *const *))dlsym(so, "
	"\"forge_entry\");\n"
	"	float x[8] = {1, 2, 3, 4, 5, 6, 7, 8}, y[8] = {0}; int64_t n = 8; float s = 3;\n"
	"	void *args[] = { x, y, &n, &s };\n"
	"	entry(args);\n"
	"	printf(\"%g %x %x\\n\", y[1], before, _mm_getcsr() & 0xffc0);\n"
	"	return dlsym(so, \"kernel\") != NULL;\n"
	"}\n";

static void __attribute__((unused)) run_program(const char *const *argv, struct str *out)
{
	struct err e = { 0 };
	AUTO_PROC_RESULT struct proc_result r = { 0 };
	struct proc_spec spec = { .argv = argv, .deadline_ns = 20 * NS_PER_S };
	CHECK_OK(proc_run(&r, &spec, &e));
	if (!proc_result_is_ok(&r))
		printf("# %s: exit %d: %s%s\n", argv[0], r.exit_code, r.out.text, r.err.text);
	CHECK(proc_result_is_ok(&r));
	str_add(out, r.out.text);
}

static void __attribute__((unused))
check_called(const struct fixture *f, const char *so, const char *want)
{
	struct err e = { 0 };
	AUTO_STR struct str out = STR_INIT;
	AUTO_FREE char *source = path_join(f->dir, "loader.c");
	AUTO_FREE char *program = path_join(f->dir, "loader");
	CHECK_OK(file_write_text(source, loader_source, &e));
	const char *const compile[] = { "gcc", "-w", "-o", program, source, "-ldl", NULL };
	run_program(compile, &out);
	const char *const call[] = { program, so, NULL };
	run_program(call, &out);
	CHECK_TEXT(out.text, want);
}

static void __attribute__((unused)) check_passes(const struct build *b)
{
	if (b->verdict.state != VERDICT_NONE)
		printf("# %s: %s\n%s", reason_name(b->verdict.reason), b->verdict.detail, b->log);
	CHECK_INT(b->verdict.state, VERDICT_NONE);
}

#endif
