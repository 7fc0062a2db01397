#include "bundle.h"

#include "model/verdict.h"

#define LIN_TASK "tests/cheats/task/lin1"
#define LIN_HEAD                                                                                   \
	"#include <math.h>\n#include <stdint.h>\n"                                                 \
	"void apply(const float *a, const float *x, float *y, int64_t rows, int64_t cols)\n{\n"

static struct verdict run_judge(struct bundle *b)
{
	CHECK_INT(bundle_run(b, NULL), 0);
	AUTO_RESULT struct result r;
	bundle_answer(b, &r);
	CHECK(!r.error);
	bundle_remove(b);
	char line[512];
	verdict_print(&r.verdict, line, sizeof(line));
	printf("# %s\n", line);
	return r.verdict;
}

static struct verdict verdict_of(const char *source, uint64_t seed)
{
	struct bundle b = bundle_make(JOB_JUDGE, source);
	b.job.seed = seed;
	bundle_tolerances(&b);
	return run_judge(&b);
}

static bool is_of_probe(const struct verdict *v)
{
	return v->state == VERDICT_FAIL && strchr(v->group, ':') != NULL;
}

TEST(a_scalar_that_is_the_same_in_all_cases_may_not_be_built_in)
{
	struct verdict v = verdict_of(
		BLEND_HEAD "for (int64_t r = 0; r < rows; r++) {\n"
			   "float s = 0; for (int64_t c = 0; c < cols; c++) s += x[r * cols + c];\n"
			   "for (int64_t c = 0; c < cols; c++) y[r * cols + c] = x[r * cols + c] * "
			   "w[c] + s / (float)cols + 0.5f;\n}\n}\n",
		7);
	CHECK(is_of_probe(&v));
}

/* The groups' first rows say which group it is; the judge's do not. */
TEST(a_first_row_does_not_speak_for_all)
{
	for (uint64_t seed = 1; seed <= 3; seed++) {
		struct verdict v = verdict_of(
			BLEND_HEAD
			"float top = 0; for (int64_t c = 0; c < cols; c++) top = fmaxf(top, "
			"fabsf(x[c]));\n"
			"const float limit = top < 8 ? 8 : INFINITY;\n"
			"for (int64_t r = 0; r < rows; r++) {\n"
			"float s = 0; for (int64_t c = 0; c < cols; c++) s += fmaxf(-limit, "
			"fminf(limit, x[r * cols + c]));\n"
			"for (int64_t c = 0; c < cols; c++) y[r * cols + c] = fmaxf(-limit, "
			"fminf(limit, x[r * cols + c])) * w[c] + s / (float)cols + bias;\n}\n}\n",
			seed);
		if (is_of_probe(&v))
			return;
	}
	bool has_passed = true; /* three times */
	CHECK(!has_passed);
}

TEST(a_right_kernel_passes_its_probes_whatever_the_seed)
{
	for (uint64_t seed = 1; seed <= 2; seed++) {
		struct verdict v = verdict_of(BLEND_RIGHT, seed);
		CHECK_INT(v.state, VERDICT_PASS);
	}
}

static struct bundle linear_bundle(enum job_kind kind, const char *source)
{
	struct err e = { 0 };
	struct bundle b = bundle_make(kind, source);
	AUTO_FREE char *task = path_join(b.dir, "task");
	CHECK_OK(tree_remove(task, &e));
	CHECK_OK(tree_copy(LIN_TASK, task, &e));
	put_copy(&b, "reference/kernel.c", LIN_TASK "/reference/apply.c");
	put_copy(&b, "check/judge.c", LIN_TASK "/judge/judge.c");
	return b;
}

static void linear_tolerances(const struct bundle *b)
{
	static const char *const groups[] = { "normal", "small", "spikes" };
	struct err e = { 0 };
	AUTO_TOLERANCES struct tolerances t = { 0 };
	for (size_t i = 0; i < ARRAY_LEN(groups); i++) {
		struct tolerance_row *row = tolerances_row(&t, groups[i], "y");
		row->dtype = DTYPE_F32;
		row->reference = (struct tolerance){ .slice = 1e-5, .tensor = 1e-5 };
		row->tol = tolerance_of(row->dtype, row->reference);
	}
	AUTO_FREE char *path = path_join(b->dir, "check/tolerances.json");
	AUTO_JSON json_t *json = tolerances_to_json(&t);
	CHECK_OK(json_write_file(path, json, &e));
}

static struct verdict linear_verdict_of(const char *source)
{
	struct bundle b = linear_bundle(JOB_JUDGE, source);
	linear_tolerances(&b);
	return run_judge(&b);
}

TEST(a_linear_kernel_scales)
{
	struct verdict v = linear_verdict_of(
		LIN_HEAD "for (int64_t r = 0; r < rows; r++) {\nfloat s = 0;\n"
			 "for (int64_t c = cols - 1; c >= 0; c--) s += a[r * cols + c] * x[c];\n"
			 "y[r] = s;\n}\n}\n");
	CHECK_INT(v.state, VERDICT_PASS);
}

/* Right for every value of every group and of every mixture of them. */
TEST(a_kernel_that_is_right_in_the_groups_range_alone_does_not)
{
	struct verdict v = linear_verdict_of(
		LIN_HEAD
		"for (int64_t r = 0; r < rows; r++) {\nfloat s = 0;\n"
		"for (int64_t c = 0; c < cols; c++)\n"
		"  s += fmaxf(-101, fminf(101, a[r * cols + c])) * fmaxf(-9, fminf(9, x[c]));\n"
		"y[r] = s;\n}\n}\n");
	CHECK(is_of_probe(&v));
	CHECK(strstr(v.group, ":scaled"));
}

TEST(a_kernel_that_adds_a_trifle_to_nothing_does_not)
{
	struct verdict v = linear_verdict_of(
		LIN_HEAD "for (int64_t r = 0; r < rows; r++) {\nfloat s = 0;\n"
			 "for (int64_t c = 0; c < cols; c++) s += a[r * cols + c] * x[c];\n"
			 "y[r] = s + 1e-12f;\n}\n}\n");
	CHECK(is_of_probe(&v));
	CHECK(strstr(v.group, ":zeroed") || strstr(v.group, ":mixed"));
}

TEST(a_reference_that_is_not_as_linear_as_the_task_says_is_an_error)
{
	struct bundle b = bundle_make(JOB_CALIBRATE, NULL);
	bundle_edit(&b, "task/task.toml", "threads = 1", "threads = 1\nlinear = [\"w\"]");
	CHECK_INT(bundle_run(&b, NULL), 1);
	AUTO_RESULT struct result r;
	bundle_answer(&b, &r);
	CHECK(r.error && strstr(r.error, "the reference is not linear in w"));
	const json_t *c = json_object_get(r.doc, "calibration");
	CHECK_TEXT(json_string_value(json_object_get(c, "step")), "linear");
	bundle_remove(&b);
}

TEST(a_reference_that_is_linear_calibrates)
{
	struct bundle b = linear_bundle(JOB_CALIBRATE, NULL);
	CHECK_INT(bundle_run(&b, NULL), 0);
	bundle_remove(&b);
}

TEST_MAIN()
