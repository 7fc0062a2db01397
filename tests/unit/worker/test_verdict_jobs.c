#include "bundle.h"

#include "model/verdict.h"

/* Judge a kernel and say what became of it. */
static struct verdict verdict_of(const char *source, double call_deadline_s)
{
	struct bundle b = bundle_make(JOB_JUDGE, source);
	b.job.call_deadline_s = call_deadline_s;
	bundle_tolerances(&b);
	CHECK_INT(bundle_run(&b, NULL), 0);
	AUTO_RESULT struct result r;
	bundle_answer(&b, &r);
	CHECK(!r.error);
	bundle_remove(&b);
	char line[512];
	verdict_print(&r.verdict, line, sizeof(line));
	printf("# %s\n", line);
	return r.verdict;
}

#define IS(source, why) CHECK_TEXT(reason_name(verdict_of(source, 1).reason), #why)

TEST(a_right_kernel_passes)
{
	struct verdict v = verdict_of(BLEND_RIGHT, 0);
	CHECK_INT(v.state, VERDICT_PASS);
}

TEST(zeros_are_wrong_zeros)
{
	IS(BLEND_HEAD "for (int64_t i = 0; i < rows * cols; i++) y[i] = 0;\n}\n", wrong_zeros);
}

TEST(an_output_that_was_left_as_it_was_is_unwritten)
{
	IS(BLEND_HEAD "if (rows < 0) y[0] = x[0] + w[0] + bias + (float)cols;\n}\n", unwritten);
}

TEST(a_kernel_that_could_keep_its_last_answer_is_refused)
{
	IS("static float last[1 << 16];\n" BLEND_HEAD
	   "for (int64_t i = 0; i < rows * cols; i++) { y[i] = last[i % 65536];\n"
	   "  last[i % 65536] = x[i] * w[i % cols] + bias; }\n}\n",
	   writable_static);
}

TEST(one_row_wrong_is_a_wrong_slice)
{
	IS(BLEND_HEAD "for (int64_t r = 0; r < rows; r++) {\n" BLEND_ROW
		      "if (r == 3) y[r * cols + 7] *= 1.001f;\n}\n}\n",
	   wrong_slice);
}

TEST(nan_where_a_number_belongs_is_nonfinite)
{
	IS(BLEND_HEAD "for (int64_t r = 0; r < rows; r++) {\n" BLEND_ROW
		      "y[r * cols] = NAN;\n}\n}\n",
	   wrong_nonfinite);
}

TEST(half_an_output_is_unwritten)
{
	IS(BLEND_HEAD "for (int64_t r = 0; r < rows / 2; r++) {\n" BLEND_ROW "}\n}\n", unwritten);
}

TEST(writing_past_the_end_is_out_of_bounds)
{
	IS(BLEND_HEAD "for (int64_t r = 0; r < rows; r++) {\n" BLEND_ROW "}\n"
		      "y[rows * cols] = 1;\n}\n",
	   out_of_bounds);
	IS(BLEND_HEAD "for (int64_t r = 0; r < rows; r++) {\n" BLEND_ROW "}\n"
		      "y[rows * cols + 4096] = 1;\n}\n",
	   out_of_bounds);
}

TEST(writing_before_the_start_is_out_of_bounds)
{
	IS(BLEND_HEAD "for (int64_t r = 0; r < rows; r++) {\n" BLEND_ROW "}\n"
		      "y[-1] = 1;\n}\n",
	   out_of_bounds);
}

TEST(reading_past_the_end_is_out_of_bounds)
{
	IS(BLEND_HEAD "for (int64_t r = 0; r < rows; r++) {\n" BLEND_ROW "}\n"
		      "if (x[rows * cols + 64] == 1.25f) y[0] = 2;\n}\n",
	   out_of_bounds);
}

TEST(writing_to_an_input_is_seen)
{
	IS(BLEND_HEAD "((float *)x)[5] = 1;\nfor (int64_t r = 0; r < rows; r++) {\n" BLEND_ROW
		      "}\n}\n",
	   input_modified);
}

TEST(an_endless_loop_is_a_timeout)
{
	IS(BLEND_HEAD "for (volatile int i = 0; i >= 0;) y[0] = x[0] + w[0] + bias + (float)cols;\n"
		      "}\n",
	   timeout);
}

TEST(a_wild_pointer_is_a_crash)
{
	IS(BLEND_HEAD "*(volatile float *)16 = x[0] + w[0] + bias + (float)(rows + cols);\n"
		      "y[0] = 1;\n}\n",
	   crashed);
}

TEST(a_fork_bomb_is_refused_before_it_runs)
{
	IS("#include <unistd.h>\n" BLEND_HEAD "for (;;) fork();\n}\n", forbidden_import);
}

TEST(a_kernel_that_reads_a_file_is_refused_before_it_runs)
{
	IS("#include <stdio.h>\n" BLEND_HEAD "FILE *f = fopen(\"/etc/passwd\", \"r\");\n"
	   "for (int64_t i = 0; i < rows * cols; i++) y[i] = (float)fgetc(f);\n}\n",
	   forbidden_import);
}

TEST(a_kernel_that_asks_for_too_much_memory_is_out_of_memory)
{
	/* Touching so many pages takes a while on a busy machine. */
	struct verdict v = verdict_of(
		BLEND_HEAD "char *p; volatile char *q;\n"
			   "for (int i = 0; i < 4096; i++) { p = malloc(1 << 20); q = p;\n"
			   "  for (int k = 0; k < 1 << 20; k += 4096) q[k] = 1; }\n"
			   "y[0] = 1;\n}\n",
		30);
	CHECK_TEXT(reason_name(v.reason), "out_of_memory");
}

TEST(other_bits_for_the_same_input_are_seen)
{
	IS(BLEND_HEAD "for (int64_t r = 0; r < rows; r++) {\n" BLEND_ROW "}\n"
		      "if (((uintptr_t)y & 4095) == 0) y[0] = nextafterf(y[0], 1e9f);\n}\n",
	   not_repeatable);
}

TEST(a_source_that_does_not_compile_says_so)
{
	IS("int blend(\n", compile_failed);
	IS("void other(void) {}\n", no_entry);
}

TEST(a_verdict_names_its_case)
{
	struct verdict v =
		verdict_of(BLEND_HEAD "for (int64_t r = 0; r < rows; r++) {\n" BLEND_ROW "}\n"
				      "if (cols == 397) y[9] += 1;\n}\n",
			   1);
	CHECK_TEXT(v.shape, "odd");
	CHECK_TEXT(v.group, "normal");
	CHECK_TEXT(v.output, "y");
}

TEST(every_case_is_judged_when_values_are_wrong)
{
	struct bundle b =
		bundle_make(JOB_JUDGE, BLEND_HEAD "for (int64_t r = 0; r < rows; r++) {\n" BLEND_ROW
						  "}\nif (cols == 397) y[9] += 1;\n}\n");
	bundle_tolerances(&b);
	b.job.held_out = true;
	AUTO_STR struct str lines = STR_INIT;
	CHECK_INT(bundle_run(&b, &lines), 0);
	CHECK(strstr(lines.text, "{\"done\":9,\"progress\":\"judge\",\"total\":9}"));
	AUTO_RESULT struct result r;
	bundle_answer(&b, &r);
	CHECK_INT(r.nr_cases, 9);
	unsigned nr_wrong = 0;
	for (size_t i = 0; i < r.nr_cases; i++)
		nr_wrong += r.cases[i].verdict.state == VERDICT_FAIL;
	CHECK_INT(nr_wrong, 3);
	CHECK(r.cases[8].held_out && r.cases[8].tolerance > 0);
	bundle_remove(&b);
}

/* Where an input is no number this judge leaves its output as it was. */
static const char picky_judge[] =
	"#include <math.h>\n#include <stdint.h>\n"
	"void blend(const double *x, const double *w, double *y, int64_t rows, int64_t cols,"
	" double bias)\n{\n"
	"for (int64_t r = 0; r < rows; r++) {\n"
	" double s = 0;\n"
	" for (int64_t c = cols; c-- > 0;) s += x[r * cols + c];\n"
	" for (int64_t c = 0; c < cols && isfinite(s); c++)\n"
	"  y[r * cols + c] = x[r * cols + c] * w[c] + s / (double)cols + bias;\n}\n}\n";

TEST(an_input_that_the_judge_has_no_answer_to_is_recorded)
{
	struct bundle b = bundle_make(JOB_JUDGE, BLEND_RIGHT);
	put(&b, "check/judge.c", picky_judge);
	bundle_tolerances(&b);
	b.job.with_monitor = true;
	CHECK_INT(bundle_run(&b, NULL), 0);
	AUTO_RESULT struct result r;
	bundle_answer(&b, &r);
	CHECK_INT(r.verdict.state, VERDICT_PASS);
	size_t nr_judged = 0;
	size_t nr_unjudged = 0;
	const json_t *monitor = json_object_get(r.doc, "monitor");
	for (size_t i = 0; i < json_array_size(monitor); i++) {
		const json_t *row = json_array_get(monitor, i);
		const char *why = json_text_or(row, "unjudged", NULL);
		nr_judged += json_object_get(row, "verdict") ? 1 : 0;
		nr_unjudged += why && strstr(why, "unwritten") ? 1 : 0;
	}
	CHECK(nr_judged >= 6 + 5);
	CHECK(nr_unjudged >= 1);
	bundle_remove(&b);
}

TEST_MAIN()
