#include "bundle.h"

#include "judge/tolerance.h"

TEST(calibrating_writes_tolerances_and_proves_them)
{
	struct err e = { 0 };
	struct bundle b = bundle_make(JOB_CALIBRATE, NULL);
	CHECK_INT(bundle_run(&b, NULL), 0);
	AUTO_RESULT struct result r;
	bundle_answer(&b, &r);
	const json_t *c = json_object_get(r.doc, "calibration");
	CHECK(json_is_true(json_object_get(c, "ok")));
	CHECK_INT(json_integer_value(json_object_get(c, "cases")), 9);
	CHECK(json_integer_value(json_object_get(c, "cheats_judged")) >= 9 * 6);
	AUTO_FREE char *path = path_join(b.dir, "check/tolerances.json");
	AUTO_JSON json_t *json = json_read_file(path, &e);
	CHECK(json);
	AUTO_TOLERANCES struct tolerances t = { 0 };
	CHECK_OK(tolerances_from_json(&t, json, path, &e));
	CHECK(tolerances_find(&t, "normal", "y") && tolerances_find(&t, "rows", "y"));
	CHECK(tolerances_find(&t, "normal", "y")->slice >= 0x1p-22);
	bundle_remove(&b);
}

/* It is right only where it has the cores that it was granted. */
static const char judge_of_two[] =
	"/* forge-build: gcc -O2 -fopenmp */\n#include <omp.h>\n#include <stdint.h>\n"
	"void blend(const double *x, const double *w, double *y, int64_t rows, int64_t cols,"
	" double bias)\n{\n"
	"	int nr = 0;\n"
	"	#pragma omp parallel for reduction(max : nr)\n"
	"	for (int64_t r = 0; r < rows; r++) {\n"
	"		double s = 0;\n"
	"		nr = omp_get_num_threads();\n"
	"		for (int64_t c = cols; c-- > 0;) s += x[r * cols + c];\n"
	"		for (int64_t c = 0; c < cols; c++)\n"
	"			y[r * cols + c] = x[r * cols + c] * w[c] + s / cols + bias;\n"
	"	}\n"
	"	if (nr != 2) y[0] = 1e9;\n}\n";

TEST(a_judge_has_the_cores_that_its_task_grants)
{
	struct bundle b = bundle_make(JOB_CALIBRATE, NULL);
	put(&b, "check/judge.c", judge_of_two);
	bundle_edit(&b, "task/task.toml", "[work]", "[judge]\nthreads = 2\n\n[work]");
	CHECK_INT(bundle_run(&b, NULL), 0);
	AUTO_RESULT struct result r;
	bundle_answer(&b, &r);
	CHECK(json_is_true(json_object_get(json_object_get(r.doc, "calibration"), "ok")));
	bundle_remove(&b);
}

TEST(a_judge_without_a_grant_has_one_core)
{
	struct bundle b = bundle_make(JOB_CALIBRATE, NULL);
	put(&b, "check/judge.c", judge_of_two);
	CHECK_INT(bundle_run(&b, NULL), 1);
	AUTO_RESULT struct result r;
	bundle_answer(&b, &r);
	CHECK(r.error && strstr(r.error, "forbidden_flag"));
	bundle_remove(&b);
}

TEST(a_job_of_a_language_that_can_not_run_here_says_what_is_missing)
{
	struct bundle b = bundle_make(JOB_CALIBRATE, NULL);
	bundle_edit(&b, "task/task.toml", "language = \"c\"", "language = \"cuda\"");
	bundle_edit(&b, "task/task.toml", "gcc -O2", "nvcc -O3");
	setenv("CUDA_HOME", "/nowhere", 1);
	CHECK_INT(bundle_run(&b, NULL), 1);
	AUTO_RESULT struct result r;
	bundle_answer(&b, &r);
	CHECK(r.error && strstr(r.error, "CUDA_HOME=/nowhere has no bin/nvcc"));
	CHECK_INT(r.verdict.state, VERDICT_NONE);
	bundle_remove(&b);
}

TEST(a_judge_that_disagrees_is_told_where)
{
	struct bundle b = bundle_make(JOB_CALIBRATE, NULL);
	bundle_edit(&b, "check/judge.c", "mean + bias", "mean - bias");
	CHECK_INT(bundle_run(&b, NULL), 1);
	AUTO_RESULT struct result r;
	bundle_answer(&b, &r);
	CHECK(r.error && strstr(r.error, "y"));
	const json_t *c = json_object_get(r.doc, "calibration");
	CHECK(json_is_false(json_object_get(c, "ok")));
	CHECK_TEXT(json_string_value(json_object_get(c, "step")), "align");
	CHECK(json_array_size(json_object_get(c, "mismatches")) >= 3);
	AUTO_FREE char *path = path_join(b.dir, "check/tolerances.json");
	CHECK(!file_exists(path));
	bundle_remove(&b);
}

/* An all-zero expected output can not tell a kernel from one that writes zeros. */
TEST(a_case_that_a_cheat_passes_is_an_error)
{
	struct bundle b = bundle_make(JOB_CALIBRATE, NULL);
	bundle_edit(&b, "task/shapes.json", "{ \"kind\": \"constant_rows\" }",
		    "{ \"kind\": \"constant\", \"value\": -0.5 }");
	bundle_edit(&b, "task/shapes.json", "\"w\": { \"kind\": \"uniform\" }",
		    "\"w\": { \"kind\": \"constant\", \"value\": 0 }");
	CHECK_INT(bundle_run(&b, NULL), 1);
	AUTO_RESULT struct result r;
	bundle_answer(&b, &r);
	CHECK(r.error && strstr(r.error, "self-test"));
	bundle_remove(&b);
}

TEST(a_judge_that_does_not_compile_is_an_error_with_its_message)
{
	struct bundle b = bundle_make(JOB_CALIBRATE, NULL);
	bundle_edit(&b, "check/judge.c", "double mean =", "double mean = nothing +");
	CHECK_INT(bundle_run(&b, NULL), 1);
	AUTO_RESULT struct result r;
	bundle_answer(&b, &r);
	CHECK(r.error && strstr(r.error, "nothing"));
	CHECK_TEXT(json_text_or(r.doc, "judge_fault", ""), "build");
	bundle_remove(&b);
}

TEST(a_judge_that_leaves_a_gap_is_an_error)
{
	struct bundle b = bundle_make(JOB_CALIBRATE, NULL);
	bundle_edit(&b, "check/judge.c", "for (int64_t c = 0; c < cols; c++)\n\t\tfor",
		    "for (int64_t c = 1; c < cols; c++)\n\t\tfor");
	bundle_edit(&b, "check/judge.c", "for (int64_t c = 0; c < cols; c++)\n\t\t\ty",
		    "for (int64_t c = 1; c < cols; c++)\n\t\t\ty");
	CHECK_INT(bundle_run(&b, NULL), 1);
	AUTO_RESULT struct result r;
	bundle_answer(&b, &r);
	CHECK(r.error && strstr(r.error, "unwritten"));
	CHECK_TEXT(json_text_or(r.doc, "judge_fault", ""), "run");
	bundle_remove(&b);
}

TEST(a_reference_that_does_not_compile_is_not_the_judges_fault)
{
	struct bundle b = bundle_make(JOB_CALIBRATE, NULL);
	AUTO_FREE char *path = path_join(b.dir, "reference/kernel.c");
	struct err e = { 0 };
	CHECK_OK(file_write_text(path, "int broken(;\n", &e));
	CHECK_INT(bundle_run(&b, NULL), 1);
	AUTO_RESULT struct result r;
	bundle_answer(&b, &r);
	CHECK(r.error && strstr(r.error, "reference"));
	CHECK_TEXT(json_text_or(r.doc, "judge_fault", ""), "");
	bundle_remove(&b);
}

TEST(a_bundle_without_its_parts_is_an_error_that_names_them)
{
	struct bundle b = bundle_make(JOB_JUDGE, BLEND_RIGHT);
	CHECK_INT(bundle_run(&b, NULL), 1);
	AUTO_RESULT struct result r;
	bundle_answer(&b, &r);
	CHECK(r.error && strstr(r.error, "tolerances.json"));
	bundle_remove(&b);
}

TEST(a_job_that_runs_out_of_time_fails_as_a_job)
{
	struct bundle b = bundle_make(JOB_JUDGE, BLEND_HEAD "for (volatile int i = 0; i >= 0;);\n"
							    "y[0] = x[0] * w[0] + bias +"
							    " (float)(rows * cols);\n}\n");
	bundle_tolerances(&b);
	b.job.deadline_s = 3;
	b.job.call_deadline_s = 40;
	CHECK_INT(bundle_run(&b, NULL), 1);
	AUTO_RESULT struct result r;
	bundle_answer(&b, &r);
	CHECK(r.error && strstr(r.error, "deadline"));
	CHECK_INT(r.verdict.state, VERDICT_NONE);
	bundle_remove(&b);
}

TEST_MAIN()
