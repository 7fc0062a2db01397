/*
 * Test bundles: a temporary folder with the blend task (tests/unit/worker/data), a kernel given as
 * text, and the real forge-worker from the build tree run on it.
 */
#ifndef FORGE_TEST_BUNDLE_H
#define FORGE_TEST_BUNDLE_H

#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "judge/tolerance.h"
#include "model/job.h"
#include "model/result.h"
#include "sys/proc.h"
#include "test.h"

#define BLEND_TASK "tests/unit/worker/data/blend"
#define BLEND_HEAD                                                                                 \
	"#include <stdint.h>\n#include <stdlib.h>\n#include <math.h>\n"                            \
	"void blend(const float *x, const float *w, float *y, int64_t rows, int64_t cols,"         \
	" float bias)\n{\n"
/* One row of the right answer, for kernels that are wrong elsewhere. */
#define BLEND_ROW                                                                                  \
	"float s = 0; for (int64_t c = 0; c < cols; c++) s += x[r * cols + c];\n"                  \
	"for (int64_t c = 0; c < cols; c++)\n"                                                     \
	"  y[r * cols + c] = x[r * cols + c] * w[c] + s / (float)cols + bias;\n"
#define BLEND_RIGHT BLEND_HEAD "for (int64_t r = 0; r < rows; r++) {\n" BLEND_ROW "}\n}\n"

struct bundle {
	char dir[64];
	struct job job;
};

static inline char *worker_path(void)
{
	AUTO_FREE char *here = path_of_program();
	char *path = xasprintf("%s/../../bin/forge-worker", here);
	AUTO_FREE char *runner = xasprintf("%s/../../bin/forge-runner", here);
	if (!file_exists(path) || !file_exists(runner))
		SKIP("forge-worker and forge-runner are not built");
	return path;
}

static inline void put(const struct bundle *b, const char *name, const char *text)
{
	struct err e = { 0 };
	AUTO_FREE char *path = path_join(b->dir, name);
	AUTO_FREE char *dir = path_dir(path);
	CHECK_OK(dir_make(dir, &e));
	CHECK_OK(file_write_text(path, text, &e));
}

static inline void put_copy(const struct bundle *b, const char *name, const char *from)
{
	struct err e = { 0 };
	AUTO_STR struct str text = STR_INIT;
	CHECK_OK(file_read(from, 1 << 20, &text, &e));
	put(b, name, text.text);
}

/* A bundle of the blend task; the candidate may be NULL. */
static inline struct bundle bundle_make(enum job_kind kind, const char *candidate)
{
	struct err e = { 0 };
	struct bundle b = { .dir = "/tmp/forge-bundle-XXXXXX" };
	CHECK(mkdtemp(b.dir));
	AUTO_FREE char *task = path_join(b.dir, "task");
	CHECK_OK(tree_copy(BLEND_TASK, task, &e));
	put_copy(&b, "reference/kernel.c", BLEND_TASK "/reference/blend.c");
	put_copy(&b, "check/judge.c", BLEND_TASK "/judge/judge.c");
	if (candidate)
		put(&b, "candidate/kernel.c", candidate);
	b.job = (struct job){
		.id = "test",
		.kind = kind,
		.seed = 7,
		.replicates = 2,
		.rounds = 9,
		.is_cold = true,
		.accept_weak_sandbox = true,
		.deadline_s = 50,
	};
	return b;
}

/* Change one text in a file of the bundle. */
static inline void bundle_edit(const struct bundle *b, const char *name, const char *from,
			       const char *to)
{
	struct err e = { 0 };
	AUTO_FREE char *path = path_join(b->dir, name);
	AUTO_STR struct str text = STR_INIT;
	CHECK_OK(file_read(path, 1 << 20, &text, &e));
	const char *at = strstr(text.text, from);
	CHECK(at);
	AUTO_FREE char *all =
		xasprintf("%.*s%s%s", (int)(at - text.text), text.text, to, at + strlen(from));
	CHECK_OK(file_write_text(path, all, &e));
}

/* Runs the worker; returns its exit code. Progress lines go to *out if given. The objects of
 * reference and judge are kept between tests. */
static inline int bundle_run(const struct bundle *b, struct str *out)
{
	struct err e = { 0 };
	CHECK_OK(job_save(&b->job, b->dir, &e));
	setenv("FORGE_CACHE", "/tmp/forge-test-cache", 1);
	/* What was stored on this machine is no business of a test. */
	setenv("FORGE_NOISE", "/tmp/forge-test-no-noise", 0);
	AUTO_FREE char *worker = worker_path();
	const char *argv[] = { worker, "run", b->dir, NULL };
	struct proc_spec spec = { .argv = argv, .deadline_ns = 55 * NS_PER_S };
	AUTO_PROC_RESULT struct proc_result r;
	CHECK_OK(proc_run(&r, &spec, &e));
	if (r.err.len)
		printf("# %s", r.err.text);
	CHECK(!r.timed_out && r.signal == 0);
	if (out)
		str_add(out, r.out.text);
	return r.exit_code;
}

static inline void bundle_answer(const struct bundle *b, struct result *r)
{
	struct err e = { 0 };
	CHECK_OK(result_load(r, b->dir, &e));
	if (r->error)
		printf("# error: %s\n", r->error);
}

static inline void bundle_remove(const struct bundle *b)
{
	struct err e = { 0 };
	CHECK_OK(tree_remove(b->dir, &e));
}

/* Tolerances for jobs that are not about making them; `reference` (or NULL) is whose they are. */
static inline void bundle_tolerances_of(const struct bundle *b, double error, const char *reference)
{
	struct err e = { 0 };
	static const char *const groups[] = { "normal", "spikes", "rows" };
	AUTO_TOLERANCES struct tolerances t = { 0 };
	for (size_t i = 0; i < ARRAY_LEN(groups); i++) {
		struct tolerance_row *row = tolerances_row(&t, groups[i], "y");
		row->dtype = DTYPE_F32;
		row->reference = (struct tolerance){ .slice = error, .tensor = error };
		row->tol = tolerance_of(row->dtype, row->reference);
	}
	t.reference = reference;
	AUTO_FREE char *path = path_join(b->dir, "check/tolerances.json");
	AUTO_JSON json_t *json = tolerances_to_json(&t);
	CHECK_OK(json_write_file(path, json, &e));
}

static inline void bundle_tolerances(const struct bundle *b)
{
	bundle_tolerances_of(b, 1e-4, NULL);
}

#endif
