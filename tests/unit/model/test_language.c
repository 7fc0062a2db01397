#include "model/language.h"

#include "base/err.h"
#include "base/str.h"
#include "folder.h"
#include "model/task.h"

TEST(names_are_found_and_listed)
{
	AUTO_STR struct str all = STR_INIT;
	AUTO_STR struct str checked = STR_INIT;
	language_names(false, &all);
	language_names(true, &checked);
	CHECK_TEXT(all.text, "c cuda python pypto");
	CHECK_TEXT(checked.text, "c cuda python");
	CHECK(language_find("cuda") && !language_find("ada") && !language_find(NULL));
	CHECK_TEXT(language_find("cuda")->suffix, ".cu");
}

TEST(cuda_has_types_of_its_own_for_narrow_floats)
{
	const struct language *cuda = language_find("cuda");
	CHECK_TEXT(language_ctype(cuda, DTYPE_BF16), "__nv_bfloat16");
	CHECK_TEXT(language_ctype(cuda, DTYPE_F8E4M3), "__nv_fp8_e4m3");
	CHECK_TEXT(language_ctype(cuda, DTYPE_F32), "float");
	CHECK_TEXT(language_ctype(language_find("c"), DTYPE_BF16), "uint16_t");
	CHECK_TEXT(language_ctype(NULL, DTYPE_F16), "uint16_t");
}

static void make_cuda(const struct folder *f, const char *source)
{
	folder_replace(f, "task.toml", "language = \"c\"", "language = \"cuda\"");
	folder_replace(f, "task.toml", "threads = 2\n", "");
	folder_replace(f, "task.toml", "build = \"gcc -O2\"", "build = \"nvcc -O3\"");
	folder_replace(f, "task.toml", "teacher = \"tuner\"", "teacher = \"manual\"");
	folder_replace(f, "task.toml", "student = \"tuner\"", "student = \"manual\"");
	folder_replace(f, "task.toml", "reference/saxpby.c", "reference/saxpby.cu");
	folder_write(f, "reference/saxpby.cu", source);
}

#define BODY "{\n\tscale<<<1, 32, 0, stream>>>(x, y, n, alpha);\n}\n"

TEST(a_prototype_ends_in_the_stream)
{
	struct err e = { 0 };
	AUTO_FOLDER struct folder f = folder_of_example();
	AUTO_TASK struct task t;
	AUTO_STR struct str text = STR_INIT;
	AUTO_STR struct str judge = STR_INIT;
	make_cuda(&f, "");
	CHECK_OK(task_load(&t, f.path, &e));
	task_prototype(&t, &text);
	task_judge_prototype(&t, &judge);
	CHECK_TEXT(text.text, "extern \"C\" void saxpby(const float *x, float *y, int64_t n, "
			      "float alpha, cudaStream_t stream)");
	CHECK_TEXT(judge.text, "void saxpby(const double *x, double *y, int64_t n, double alpha)");
	CHECK_TEXT(t.reference_build, "nvcc -O3");
	CHECK(t.arch == NULL);
}

static void check_found(const char *source, const char *want)
{
	AUTO_FOLDER struct folder f = folder_of_example();
	AUTO_FINDINGS struct findings found = { 0 };
	make_cuda(&f, source);
	task_lint(f.path, &found);
	bool is_found = !want;
	size_t nr_errors = 0;
	for (size_t i = 0; i < found.nr; i++) {
		nr_errors += found.items[i].is_error;
		is_found |= want && strstr(found.items[i].text, want);
		if (!want || nr_errors)
			printf("# %s:%u: %s\n", found.items[i].file, found.items[i].line,
			       found.items[i].text);
	}
	CHECK(is_found);
	CHECK(want || nr_errors == 0);
}

TEST(a_cuda_reference_is_held_to_its_signature)
{
	check_found("extern \"C\" void saxpby(const float *x, float *y, int64_t n, float alpha, "
		    "cudaStream_t stream)\n" BODY,
		    NULL);
	check_found("extern \"C\" void saxpby(const float *x, float *y, int64_t n, float "
		    "alpha)\n" BODY,
		    "which a stream follows: cudaStream_t");
	check_found("extern \"C\" void saxpby(const float *x, float *y, int64_t n, float alpha, "
		    "int stream)\n" BODY,
		    "it is the stream that the kernels are enqueued on");
	check_found("extern \"C\" void saxpby(const double *x, float *y, int64_t n, float alpha, "
		    "cudaStream_t stream)\n" BODY,
		    "parameter 1 of saxpby is \"double *x\"");
}

static void check_refused(const char *from, const char *to, const char *want)
{
	struct err e = { 0 };
	AUTO_FOLDER struct folder f = folder_of_example();
	AUTO_TASK struct task t = { 0 };
	make_cuda(&f, "");
	folder_replace(&f, "task.toml", from, to);
	CHECK(task_load(&t, f.path, &e) < 0);
	if (!strstr(e.text, want))
		printf("# %s\n", e.text);
	CHECK(strstr(e.text, want));
}

TEST(a_target_is_one_of_nvcc_and_for_cuda_only)
{
	struct err e = { 0 };
	AUTO_FOLDER struct folder f = folder_of_example();
	AUTO_TASK struct task t;
	make_cuda(&f, "");
	folder_replace(&f, "task.toml", "[work]", "[cuda]\narch = \"sm_90a\"\n[work]");
	CHECK_OK(task_load(&t, f.path, &e));
	CHECK_TEXT(t.arch, "sm_90a");
	check_refused("[work]", "[cuda]\narch = \"hopper\"\n[work]", "is no target of nvcc");
	check_refused("[work]", "[cuda]\narch = \"sm_90a;rm\"\n[work]", "is no target of nvcc");
	AUTO_FOLDER struct folder c = folder_of_example();
	AUTO_TASK struct task of_c = { 0 };
	folder_replace(&c, "task.toml", "[work]", "[cuda]\narch = \"sm_90\"\n[work]");
	CHECK(task_load(&of_c, c.path, &e) < 0);
	CHECK(strstr(e.text, "[cuda] in a task of language \"c\"; remove it"));
}

TEST_MAIN()
