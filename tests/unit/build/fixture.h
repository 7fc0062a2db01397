/*
 * A task, a scratch folder and one call: what every build test needs. The kernel under test is
 *     void kernel(const float *x, float *y, int64_t n, float s)
 */
#ifndef FORGE_TEST_BUILD_FIXTURE_H
#define FORGE_TEST_BUILD_FIXTURE_H

#include "base/err.h"
#include "base/file.h"
#include "base/str.h"
#include "build/build.h"
#include "model/task.h"
#include "sys/proc.h"
#include "test.h"

#define KERNEL "void kernel(const float *x, float *y, int64_t n, float s)\n"
#define HEAD "#include <forge/kernel.h>\n"

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

#endif
