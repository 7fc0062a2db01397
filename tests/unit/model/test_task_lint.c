#include "model/task.h"

/* Every rule of `forge check` has a row that breaks exactly that rule in a task that is otherwise
 * good, and names the finding that must come of it. */

#include "folder.h"

static void lint(const struct folder *f, struct findings *found)
{
	task_lint(f->path, found);
}

static void show(const struct findings *found)
{
	for (size_t i = 0; i < found->nr; i++)
		printf("# %s:%u: %s: %s\n", found->items[i].file, found->items[i].line,
		       found->items[i].is_error ? "error" : "warning", found->items[i].text);
}

struct rule_row {
	const char *file;
	const char *from;
	const char *to;
	const char *at_file; /* where the finding stands; NULL: in the same file */
	unsigned line;
	bool is_error;
	const char *text; /* how it begins */
};

static bool is_found(const struct folder *f, const struct rule_row *row,
		     const struct findings *found)
{
	AUTO_FREE char *path = path_join(f->path, row->at_file ? row->at_file : row->file);
	for (size_t i = 0; i < found->nr; i++) {
		const struct finding *item = &found->items[i];
		if (strcmp(item->file, path) == 0 && item->line == row->line &&
		    item->is_error == row->is_error && str_starts(item->text, row->text))
			return true;
	}
	return false;
}

static void check_row(const struct rule_row *row)
{
	AUTO_FOLDER struct folder f = folder_of_example();
	AUTO_FINDINGS struct findings found = { 0 };
	folder_replace(&f, row->file, row->from, row->to);
	lint(&f, &found);
	if (!is_found(&f, row, &found)) {
		printf("# wanted line %u: %s\n", row->line, row->text);
		show(&found);
	}
	CHECK(is_found(&f, row, &found));
}

static void check_rows(const struct rule_row *rows, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		check_row(&rows[i]);
}

TEST(the_worked_example_has_no_finding)
{
	AUTO_FOLDER struct folder f = folder_of_example();
	AUTO_FINDINGS struct findings found = { 0 };
	lint(&f, &found);
	show(&found);
	CHECK_INT(found.nr, 0);
}

TEST(a_task_that_does_not_load_is_one_finding_at_its_place)
{
	static const struct rule_row rows[] = {
		{ "task.toml", "threads = 2", "thraeds = 2", NULL, 5, true,
		  "unknown key thraeds in [task]" },
		{ "task.toml", "shape = [\"n\"]", "shape = [\"n\"", NULL, 13, true,
		  "expected ',' or ']' in the array" },
		{ "task.toml", "ratio = 1.2", "ratio = 0.9", NULL, 41, true,
		  "ratio must be above 1" },
		{ "task.toml", "hours = 0.5", "hours = inf", NULL, 44, true,
		  "hours must be above 0 and at most 8760" },
		{ "task.toml", "hours = 0.5", "hours = 1e300", NULL, 44, true,
		  "hours must be above 0 and at most 8760" },
		{ "task.toml", "hours = 0.5", "hours = nan", NULL, 44, true,
		  "hours must be above 0 and at most 8760" },
		{ "task.toml", "usd = 20.0", "usd = inf", NULL, 47, true,
		  "usd must not be negative, and at most 1000000" },
		{ "task.toml", "entry = \"saxpby\"", "entry = \"sax-pby\"", NULL, 4, true,
		  "the entry \"sax-pby\" is not a C identifier" },
		{ "shapes.json", "\"version\": 1", "\"version\": 7", NULL, 2, true,
		  "version 7 is not known" },
		{ "shapes.json", "99991}", "99991", NULL, 6, true, "string or" },
	};
	check_rows(rows, ARRAY_LEN(rows));
}

TEST(a_missing_folder_or_file_is_a_finding_too)
{
	AUTO_FINDINGS struct findings found = { 0 };
	task_lint("/nowhere/at/all", &found);
	CHECK_INT(found.nr, 1);
	CHECK_TEXT(found.items[0].file, "/nowhere/at/all");
	CHECK(str_starts(found.items[0].text, "there is no such folder; forge init"));
	CHECK(found.items[0].is_error);
}

TEST(names_and_settings_are_checked)
{
	static const struct rule_row rows[] = {
		{ "task.toml", "entry = \"saxpby\"", "entry = \"double\"", NULL, 4, true,
		  "the entry double is a word of C" },
		{ "task.toml", "entry = \"saxpby\"", "entry = \"main\"", NULL, 4, true,
		  "the entry main is where a C program starts" },
		{ "task.toml", "entry = \"saxpby\"", "entry = \"memcpy\"", NULL, 4, true,
		  "the entry memcpy is a name of the C library" },
		{ "task.toml", "entry = \"saxpby\"", "entry = \"forge_entry\"", NULL, 4, true,
		  "the entry forge_entry is reserved" },
		{ "task.toml", "entry = \"saxpby\"", "entry = \"__saxpby\"", NULL, 4, true,
		  "the entry __saxpby is reserved" },
		{ "task.toml", "name = \"alpha\"", "name = \"float\"", NULL, 24, true,
		  "the argument float has the name of a word of C" },
		{ "task.toml", "language = \"c\"", "language = \"pypto\"", NULL, 3, true,
		  "language \"pypto\" is not supported" },
		{ "task.toml", "language = \"c\"", "language = \"cuda\"", NULL, 51, true,
		  "the embedded agent (tuner) works on C" },
		{ "task.toml", "role = \"inout\"", "role = \"in\"", NULL, 1, true,
		  "no argument is an output" },
		{ "task.toml", "teacher = \"tuner\"", "teacher = \"gpt\"", NULL, 51, true,
		  "unknown agent \"gpt\"" },
		{ "task.toml", "student = \"tuner\"", "student = \"\"", NULL, 52, true,
		  "unknown agent \"\"" },
		{ "task.toml", "build = \"gcc -O2\"", "build = \"gccx -O2\"", NULL, 37, true,
		  "build = \"gccx -O2\" must start with gcc or clang" },
	};
	check_rows(rows, ARRAY_LEN(rows));
}

TEST(a_description_says_what_and_names_every_argument)
{
	static const struct rule_row rows[] = {
		{ "description.md", "", "x y n\n", NULL, 1, true,
		  "the argument alpha is missing; say what it is" },
		{ "description.md", "", " \n", NULL, 1, true, "the description is empty" },
		{ "description.md", "fused or not.", "fused or not \xff.", NULL, 6, true,
		  "not UTF-8" },
		{ "description.md", "fused or not.", "fused.\n\nfor (i = 0; i < n; i++)", NULL, 8,
		  true, "\"for (\" is code" },
		{ "description.md", "A weighted", "#include <x.h>\nA weighted", NULL, 3, true,
		  "\"#include\" is code" },
	};
	check_rows(rows, ARRAY_LEN(rows));
}

static const char *const how[] = {
	"Vectorise it.",
	"This is easy to vectorize.",
	"Unroll four times.",
	"SIMD helps.",
	"Use AVX2 here.",
	"Intrinsics are allowed.",
	"Prefetch x.",
	"Split it over several\nthreads.",
	"It is multi-threaded.",
	"Rows go in parallel.",
	"Tile the columns.",
	"Choose a good tile size.",
	"Cache blocking is needed.",
	"Work in cache-friendly order.",
	"Stay in the L2 cache.",
	"Keep sums in registers.",
	"Swap the loop order.",
	"The inner loop walks x.",
	"Fuse the two steps.",
	"Do it in one pass.",
	"Put it in shared\nmemory.",
	"An optimized version exists.",
	"It should be efficient.",
	"Compile with fast-math.",
	"A lookup table gives alpha.",
	"Parallelise over elements.",
	"Hoist alpha.",
	"Use OpenMP.",
};

TEST(advice_on_the_implementation_is_an_error)
{
	for (size_t i = 0; i < ARRAY_LEN(how); i++) {
		AUTO_FREE char *to = xasprintf("fused or not.\n%s", how[i]);
		AUTO_FOLDER struct folder f = folder_of_example();
		AUTO_FINDINGS struct findings found = { 0 };
		folder_replace(&f, "description.md", "fused or not.", to);
		lint(&f, &found);
		bool has_error = false;
		for (size_t k = 0; k < found.nr; k++)
			has_error =
				has_error || (found.items[k].is_error && found.items[k].line >= 7);
		if (!has_error)
			printf("# accepted: %s\n", how[i]);
		CHECK(has_error);
	}
}

/* Sentences that honest descriptions hold. */
static const char *const what[] = {
	"Blocks of 32 elements share one scale.",
	"Scores below the threshold are zero; the register is not meant.",
	"The result is fused or not, no order of summation is prescribed.",
	"Two vectors are parallel when their cross product is zero.",
	"The L1 norm of each row is 1.",
	"The sum of squared errors (SSE) is divided by n.",
	"Empty blocks are zero.",
	"The optimizer's step size is alpha.",
	"Finite elements are assembled by the caller.",
	"Each element is read as f32 and written as f32.",
	"The result is the exact quotient: large values must not overflow.",
	"Sizes are at least 1; y is written in full.",
};

TEST(honest_wording_is_no_error)
{
	for (size_t i = 0; i < ARRAY_LEN(what); i++) {
		AUTO_FREE char *to = xasprintf("fused or not.\n%s", what[i]);
		AUTO_FOLDER struct folder f = folder_of_example();
		AUTO_FINDINGS struct findings found = { 0 };
		folder_replace(&f, "description.md", "fused or not.", to);
		lint(&f, &found);
		for (size_t k = 0; k < found.nr; k++)
			if (found.items[k].is_error)
				show(&found);
		for (size_t k = 0; k < found.nr; k++)
			CHECK(!found.items[k].is_error);
	}
}

TEST(words_with_two_meanings_are_warnings)
{
	static const struct rule_row rows[] = {
		{ "description.md", "fused or not.", "A tile has 8 x 8 outputs.", NULL, 6, false,
		  "\"tile\"" },
		{ "description.md", "fused or not.", "The cache of keys is an input.", NULL, 6,
		  false, "\"cache\"" },
		{ "description.md", "fused or not.", "Use a biased variance.", NULL, 6, false,
		  "\"Use\"" },
		{ "description.md", "fused or not.", "The loop gain is 1.", NULL, 6, false,
		  "\"loop\"" },
	};
	check_rows(rows, ARRAY_LEN(rows));
}

TEST(names_of_the_task_are_its_own_words)
{
	AUTO_FOLDER struct folder f = folder_of_example();
	AUTO_FINDINGS struct findings found = { 0 };
	folder_replace(&f, "task.toml", "name = \"alpha\"", "name = \"threads\"");
	folder_replace(&f, "description.md", "alpha times", "threads times");
	folder_replace(&f, "reference/saxpby.c", "float alpha", "float threads");
	folder_replace(&f, "judge/judge.c", "double alpha", "double threads");
	lint(&f, &found);
	show(&found);
	CHECK_INT(found.nr, 0);
}

TEST(shapes_must_be_enough_and_different)
{
	static const struct rule_row rows[] = {
		{ "shapes.json", "\"held_out\": true", "\"held_out\": false", NULL, 3, false,
		  "no shape is held out" },
		{ "shapes.json", "{\"n\": 99991}", "{\"n\": 1048576}", NULL, 5, false,
		  "shapes large and odd have the same dims" },
		{ "shapes.json", "{\"n\": 99991}", "{\"n\": 99991, \"m\": 3}", NULL, 5, true,
		  "the dim m is used by no argument and no expression" },
		{ "shapes.json", "ordinary values", "", NULL, 11, true,
		  "group normal has no purpose" },
		{ "shapes.json", "ordinary values",
		  "Terms of opposite sign, and nearly equal size!", NULL, 13, true,
		  "groups normal and cancel have the same purpose" },
		{ "shapes.json", "NaN and infinities pass through where they stand",
		  "ordinary  values", NULL, 7, true,
		  "groups normal and special have the same purpose" },
	};
	check_rows(rows, ARRAY_LEN(rows));
}

static const char *const two_inputs = "{\"x\":{\"kind\":\"normal\"},\"y\":{\"kind\":\"normal\"}}";

static void write_shapes(const struct folder *f, const char *shapes, unsigned nr_groups)
{
	AUTO_STR struct str text = STR_INIT;
	str_addf(&text, "{\"version\":1,\n\"shapes\":[%s],\n\"groups\":[", shapes);
	for (unsigned i = 0; i < nr_groups; i++)
		str_addf(&text,
			 "%s\n{\"name\":\"g%u\",\"purpose\":\"p%u\",\"timed\":%s,\"inputs\":%s}",
			 i ? "," : "", i, i, i > 4 ? "true" : "false", two_inputs);
	str_add(&text, "]}\n");
	folder_write(f, "shapes.json", text.text);
}

TEST(too_few_shapes_or_groups_are_errors)
{
	static const struct {
		const char *shapes;
		unsigned nr_groups;
		struct rule_row want;
	} rows[] = {
		{ "{\"name\":\"a\",\"dims\":{\"n\":5}}",
		  6,
		  { "shapes.json", "", "", NULL, 2, true, "there are fewer than 2 shapes" } },
		{ "{\"name\":\"a\",\"dims\":{\"n\":5},\"held_out\":true},\n"
		  "{\"name\":\"b\",\"dims\":{\"n\":7},\"held_out\":true}",
		  6,
		  { "shapes.json", "", "", NULL, 2, true, "every shape is held out" } },
		{ "{\"name\":\"a\",\"dims\":{\"n\":4}},\n{\"name\":\"b\",\"dims\":{\"n\":6}}",
		  6,
		  { "shapes.json", "", "", NULL, 2, false, "no shape has an odd size" } },
		{ "{\"name\":\"a\",\"dims\":{\"n\":5}},\n{\"name\":\"b\",\"dims\":{\"n\":6}}",
		  2,
		  { "shapes.json", "", "", NULL, 3, true, "shape b has 2 groups" } },
		{ "{\"name\":\"a\",\"dims\":{\"n\":5}},\n{\"name\":\"b\",\"dims\":{\"n\":6}}",
		  3,
		  { "shapes.json", "", "", NULL, 3, true, "no group of shape b is timed" } },
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO_FOLDER struct folder f = folder_of_example();
		AUTO_FINDINGS struct findings found = { 0 };
		write_shapes(&f, rows[i].shapes, rows[i].nr_groups);
		lint(&f, &found);
		if (!is_found(&f, &rows[i].want, &found))
			show(&found);
		CHECK(is_found(&f, &rows[i].want, &found));
	}
}

TEST(generators_must_fit_the_arguments)
{
	static const struct rule_row rows[] = {
		{ "shapes.json", ", \"y\": {\"kind\": \"normal\"}}},\n  {\"name\": \"cancel\"",
		  "}},\n  {\"name\": \"cancel\"", NULL, 11, true,
		  "group normal has no generator for the input y" },
		{ "shapes.json", "\"y\": {\"kind\": \"normal\"}}},\n  {\"name\": \"cancel\"",
		  "\"y\": {\"kind\": \"normal\"}, \"z\": {\"kind\": \"normal\"}}},\n  {\"name\": "
		  "\"cancel\"",
		  NULL, 12, true, "group normal: there is no argument z" },
		{ "shapes.json", "\"y\": {\"kind\": \"normal\"}}},\n  {\"name\": \"cancel\"",
		  "\"y\": {\"kind\": \"normal\"}, \"n\": {\"kind\": \"normal\"}}},\n  {\"name\": "
		  "\"cancel\"",
		  NULL, 12, true, "group normal: n is no input (its role is scalar)" },
		{ "shapes.json", "\"kind\": \"extremes\"", "\"kind\": \"gauss\"", NULL, 16, true,
		  "group wide, input x: unknown generator \"gauss\"; known: normal uniform" },
		{ "shapes.json", "\"low_exp\": -30", "\"lowest\": -30", NULL, 16, true,
		  "group wide, input x: extremes has no parameter \"lowest\"; it takes: low_exp? "
		  "high_exp?" },
		{ "shapes.json", ", \"value\": 1", "", NULL, 16, true,
		  "group wide, input y: constant needs value" },
		{ "shapes.json", "\"low_exp\": -30", "\"low_exp\": 31", NULL, 16, true,
		  "group wide, input x at shape large: nothing lies between low_exp 31 and "
		  "high_exp 30" },
		{ "shapes.json", "\"low\": 1", "\"low\": \"2*m\"", NULL, 14, true,
		  "group cancel, input x: low at shape large: expression \"2*m\" column 3: no dim "
		  "is named m" },
		{ "shapes.json", "\"low\": 1", "\"low\": true", NULL, 14, true,
		  "group cancel, input x: low at shape large: it must be a number or an "
		  "expression" },
		{ "shapes.json", "\"low\": 1", "\"low\": 3", NULL, 14, true,
		  "group cancel, input x at shape large: nothing lies between low 3 and high 2" },
		{ "shapes.json", "\"std\": 1", "\"std\": -1", NULL, 12, true,
		  "group normal, input x: std is negative" },
		{ "shapes.json", "\"rate\": 0.001", "\"rate\": 1.5", NULL, 8, true,
		  "group special, input x: rate is 1.5; it must be 0 to 1" },
		{ "shapes.json", "\"rate\": 0.001", "\"values\": [\"nan\", \"big\"]", NULL, 8, true,
		  "group special, input x: values must be a list of \"nan\", \"inf\", \"-inf\"" },
		{ "shapes.json", "{\"kind\": \"constant\", \"value\": 1}",
		  "{\"kind\": \"choice\", \"values\": []}", NULL, 16, true,
		  "group wide, input y: values must be a list of numbers" },
		{ "shapes.json", "{\"kind\": \"constant\", \"value\": 1}",
		  "{\"kind\": \"offsets\", \"total\": \"n\", \"skew\": \"flat\"}", NULL, 16, true,
		  "group wide, input y: skew must be" },
		{ "shapes.json", "{\"kind\": \"constant\", \"value\": 1}",
		  "{\"kind\": \"zero_blocks\", \"block\": 0}", NULL, 16, true,
		  "group wide, input y: block must be at least 1" },
		{ "shapes.json", "{\"kind\": \"constant\", \"value\": 1}",
		  "{\"kind\": \"index\", \"high\": 0}", NULL, 16, true,
		  "group wide, input y at shape large: nothing lies between low 0 and high 0" },
		{ "task.toml", "dtype = \"f32\"", "dtype = \"i32\"", "shapes.json", 8, true,
		  "group special, input x: specials makes NaN and infinities and x is i32" },
	};
	check_rows(rows, ARRAY_LEN(rows));
}

TEST(generators_over_dims_are_fine)
{
	AUTO_FOLDER struct folder f = folder_of_example();
	AUTO_FINDINGS struct findings found = { 0 };
	folder_replace(&f, "shapes.json", "{\"kind\": \"constant\", \"value\": 1}",
		       "{\"kind\": \"choice\", \"values\": [1, 2.5, \"n\", \"inf\"]}");
	folder_replace(&f, "shapes.json",
		       "{\"kind\": \"extremes\", \"low_exp\": -30, "
		       "\"high_exp\": 30}",
		       "{\"kind\": \"integers\", \"low\": \"-n\", \"high\": \"n-1\"}");
	lint(&f, &found);
	show(&found);
	CHECK_INT(found.nr, 0);
}

TEST(sizes_and_work_must_be_computable)
{
	static const struct rule_row rows[] = {
		{ "task.toml", "shape = [\"n\"]", "shape = [\"m\"]", NULL, 7, true,
		  "at shape large: argument x: expression \"m\" column 1: no dim is named m" },
		{ "task.toml", "shape = [\"n\"]", "shape = [\"n - 99991\"]", NULL, 7, true,
		  "at shape odd: argument x: extent 0, \"n - 99991\", is 0; it must be positive" },
		{ "shapes.json", "99991", "-3", "task.toml", 7, true,
		  "at shape odd: argument x: extent 0, \"n\", is -3; it must be positive" },
		{ "task.toml", "shape = [\"n\"]", "shape = [\"n*n*n*n\"]", NULL, 7, true,
		  "at shape large: argument x: expression \"n*n*n*n\" column 6: the value does not "
		  "fit 64 bits" },
		{ "task.toml", "shape = [\"n\"]", "shape = [\"n*n\", \"n*n\"]", NULL, 7, true,
		  "at shape large: argument x: its size does not fit 64 bits" },
		{ "task.toml", "shape = [\"n\"]", "shape = [\"n\", \"600\"]", "shapes.json", 4,
		  true, "a case of shape large takes 2.3 GiB; the limit is 2 GiB" },
		{ "task.toml", "name = \"n\"", "name = \"len\"", NULL, 19, true,
		  "at shape large: scalar len: expression \"len\" column 1: no dim is named len" },
		{ "task.toml", "value = \"0.5\"", "value = \"half\"", NULL, 24, true,
		  "at shape large: scalar alpha: expression \"half\"" },
		{ "task.toml", "value = \"0.5\"", "value = \"1e400\"", NULL, 24, true,
		  "at shape large: scalar alpha: 1e400 does not fit f32" },
		{ "task.toml", "value = \"0.5\"", "value = \"1e39\"", NULL, 24, true,
		  "at shape large: scalar alpha: 1e39 does not fit f32" },
		{ "task.toml", "value = \"0.5\"", "value = \"1e-60\"", NULL, 24, true,
		  "at shape large: scalar alpha: 1e-60 does not fit f32" },
		{ "task.toml", "flops = \"3*n\"", "flops = \"3*m\"", NULL, 31, true,
		  "flops at shape large: work: expression \"3*m\" column 3: no dim is named m" },
		{ "task.toml", "bytes = \"12*n\"", "bytes = \"n-n\"", NULL, 32, true,
		  "bytes at shape large is 0; it must be positive" },
		{ "task.toml", "flops = \"3*n\"", "flops = \"0-n\"", NULL, 31, true,
		  "flops at shape large is -1048576; it must be 0 or more" },
		{ "task.toml", "flops = \"3*n\"\n", "", NULL, 30, false, "[work] has no flops" },
		{ "task.toml", "[work]\nflops = \"3*n\"\nbytes = \"12*n\"", "", NULL, 1, false,
		  "[work] has no bytes" },
	};
	check_rows(rows, ARRAY_LEN(rows));
}

TEST(sources_must_define_the_entry_as_the_task_lists_it)
{
	static const struct rule_row rows[] = {
		{ "task.toml", "run = \"reference/saxpby.c\"", "run = \"reference/other.c\"", NULL,
		  35, true, "the reference reference/other.c is not there" },
		{ "task.toml",
		  "[reference]\nrun = \"reference/saxpby.c\"\nsource = true\nbuild = \"gcc -O2\"\n"
		  "deny = []\n",
		  "", NULL, 1, true, "no [reference], and the embedded student transforms code" },
		{ "reference/saxpby.c", "void saxpby", "void axpby", NULL, 1, true,
		  "the reference does not define saxpby; define \"void saxpby(const float *x, "
		  "float "
		  "*y, int64_t n, float alpha)\"" },
		{ "reference/saxpby.c", "", "/* void saxpby(int n) { } */ void saxpby(int n);",
		  NULL, 1, true, "the reference does not define saxpby" },
		{ "reference/saxpby.c", ", float alpha", "", NULL, 5, true,
		  "saxpby takes 3 parameters and task.toml lists 4 arguments" },
		{ "reference/saxpby.c", "int64_t n", "int n", NULL, 5, true,
		  "parameter 3 of saxpby is \"int n\"; n (i64) wants \"int64_t n\"" },
		{ "reference/saxpby.c", "float *y", "float y", NULL, 5, true,
		  "parameter 2 of saxpby is \"float y\"; y (f32) wants \"float *y\"" },
		{ "reference/saxpby.c", "float alpha", "float beta", NULL, 5, false,
		  "parameter 4 of saxpby is called beta, the argument alpha" },
		{ "judge/judge.c", "double alpha", "float alpha", NULL, 2, true,
		  "parameter 4 of saxpby is \"float alpha\"; alpha (f32) wants \"double alpha\"" },
		{ "judge/judge.c", "", "int nothing;\n", NULL, 1, true,
		  "the judge does not define saxpby" },
	};
	check_rows(rows, ARRAY_LEN(rows));
}

TEST(equal_spellings_of_a_type_are_accepted)
{
	AUTO_FOLDER struct folder f = folder_of_example();
	AUTO_FINDINGS struct findings found = { 0 };
	folder_replace(&f, "reference/saxpby.c", "const float *x", "const float x[restrict]");
	folder_replace(&f, "reference/saxpby.c", "int64_t n", "const long n");
	lint(&f, &found);
	show(&found);
	CHECK_INT(found.nr, 0);
}

TEST(a_missing_file_is_named)
{
	AUTO_FOLDER struct folder f = folder_of_example();
	AUTO_FINDINGS struct findings found = { 0 };
	const struct rule_row description = {
		"description.md", "", "", NULL, 1, true, "there is no description.md"
	};
	const struct rule_row judge = {
		"judge/judge.c", "", "", NULL, 1, false, "there is no judge/judge.c"
	};
	folder_remove(&f, "description.md");
	folder_remove(&f, "judge");
	lint(&f, &found);
	CHECK(is_found(&f, &description, &found));
	CHECK(is_found(&f, &judge, &found));
	CHECK_INT(found.nr, 2);
}

TEST(a_finding_is_kept_once)
{
	AUTO_FINDINGS struct findings found = { 0 };
	for (int i = 0; i < 40; i++) {
		finding_error(&found, "a", 1, "same %d", i / 2);
		finding_warning(&found, "a", 2, "other");
	}
	CHECK_INT(found.nr, 21);
	CHECK(found.items[0].is_error && !found.items[1].is_error);
}

TEST_MAIN()
