#include "worker/gpu_python.h"

#include <stdlib.h>

#include "base/err.h"
#include "base/file.h"
#include "bundle.h"
#include "worker/footprint.h"

static void check_args(const char *dir, bool is_varied, const char *want)
{
	struct err e = { 0 };
	struct footprint fp;
	AUTO_TASK struct task t;
	AUTO_STR struct str got = STR_INIT;
	CHECK_OK(task_load(&t, dir, &e));
	CHECK_OK(footprint_init(&fp, &t, &t.shapes.items[0], &e));
	if (is_varied)
		footprint_vary_scalars(&fp);
	CHECK_OK(gpu_python_args(&fp, &got, &e));
	CHECK_TEXT(got.text, want);
	footprint_release(&fp);
}

TEST(a_module_is_told_of_its_arguments)
{
	check_args("tasks/gpu/rmsnorm", false,
		   "x:in:bf16:2048x4096,w:in:bf16:4096,y:out:bf16:2048x4096,rows:scalar:i64:2048,"
		   "cols:scalar:i64:4096,eps:scalar:f32:9.9999999747524271e-07");
	check_args(
		"tasks/gpu/decode_attention", false,
		"q:in:bf16:16x32x128,k:in:bf16:1024x16x8x128,v:in:bf16:1024x16x8x128,"
		"table:in:i32:16x64,length:in:i32:16,o:out:bf16:16x32x128,batch:scalar:i64:16,"
		"heads:scalar:i64:32,heads_kv:scalar:i64:8,dim:scalar:i64:128,page:scalar:i64:16,"
		"max_pages:scalar:i64:64");
}

TEST(scalars_that_a_probe_varies_reach_the_module)
{
	check_args("tasks/gpu/rmsnorm", true,
		   "x:in:bf16:2048x4096,w:in:bf16:4096,y:out:bf16:2048x4096,rows:scalar:i64:2048,"
		   "cols:scalar:i64:4096,eps:scalar:f32:8.7500001200169208e-07");
}

static struct worker worker_with(char *path)
{
	static char *paths[1];
	paths[0] = path;
	struct worker w = { .bundle = "" };
	w.builds[PARTY_REFERENCE].so_paths = paths;
	w.builds[PARTY_REFERENCE].nr_so = path ? 1 : 0;
	return w;
}

TEST(a_module_is_known_by_its_build)
{
	char module[] = "work/reference/src/kernel.py";
	char object[] = "work/reference/layout0.so";
	struct worker w = worker_with(module);
	CHECK(gpu_python_is(&w, PARTY_REFERENCE) && !gpu_python_is(&w, PARTY_CANDIDATE));
	w = worker_with(object);
	CHECK(!gpu_python_is(&w, PARTY_REFERENCE));
	w = worker_with(NULL);
	CHECK(!gpu_python_is(&w, PARTY_REFERENCE));
}

TEST(without_python_it_is_said_what_is_missing)
{
	struct err e = { 0 };
	AUTO_STRV struct strv argv = { 0 };
	CHECK(setenv("PATH", "/nowhere", 1) == 0);
	CHECK(gpu_python_argv("build/bin", &argv, &e) < 0);
	CHECK(strstr(e.text, "no python3 on the PATH"));
}

/* What the build of a bundle of tasks/gpu/softmax says to this candidate. */
static enum reason reason_of(const char *candidate)
{
	struct err e = { 0 };
	struct bundle b = bundle_make(JOB_BUILD, NULL);
	AUTO_FREE char *task = path_join(b.dir, "task");
	CHECK_OK(tree_remove(task, &e));
	CHECK_OK(tree_copy("tasks/gpu/softmax", task, &e));
	bundle_edit(&b, "task/task.toml", "language = \"cuda\"", "language = \"python\"");
	bundle_edit(&b, "task/task.toml", "entry = \"softmax\"", "entry = \"run\"");
	put_copy(&b, "reference/kernel.py", "tasks/gpu/softmax/reference/softmax.py");
	put(&b, "candidate/kernel.py", candidate);
	CHECK_INT(bundle_run(&b, NULL), 0);
	struct result r;
	bundle_answer(&b, &r);
	enum reason reason = r.verdict.reason;
	result_release(&r);
	bundle_remove(&b);
	return reason;
}

TEST(a_reference_may_call_a_library_when_it_is_its_own_candidate_and_others_may_not)
{
	struct err e = { 0 };
	AUTO_STR struct str reference = STR_INIT;
	AUTO_FREE char *python = proc_find("python3");
	if (!python)
		SKIP("no python3");
	CHECK_OK(file_read("tasks/gpu/softmax/reference/softmax.py", 1 << 20, &reference, &e));
	CHECK_INT(reason_of(reference.text), REASON_NONE);
	AUTO_FREE char *other = xasprintf("%s\n", reference.text);
	CHECK_INT(reason_of(other), REASON_forbidden_import);
}

TEST_MAIN()
