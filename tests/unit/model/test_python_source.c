#include "model/python_source.h"

#include "base/mem.h"
#include "folder.h"
#include "model/task.h"

static void check_names(const char *text, const char *want, unsigned line)
{
	AUTO_PYFUNCTION struct pyfunction f;
	AUTO_STR struct str got = STR_INIT;
	bool is_found = pyfunction_find(&f, text, "run");
	for (size_t i = 0; i < f.names.nr; i++)
		str_addf(&got, "%s%s", i ? " " : "", f.names.items[i]);
	CHECK_TEXT(is_found ? got.text : "(none)", want);
	if (is_found)
		CHECK_INT((int)f.line, (int)line);
}

TEST(parameters_of_a_function_are_found)
{
	check_names("def run(x, y):\n    pass\n", "x y", 1);
	check_names("import a\n\n\ndef run (x,\n        y, # of (this\n        n=3):\n", "x y n",
		    4);
	check_names("def run(x: \"f(a, b)\" = g(1, [2, 3]), *rest, **more) -> None:\n",
		    "x *rest **more", 1);
	check_names("def run(x, *, y=',)'):\n", "x * y", 1);
	check_names("def run():\n", "", 1);
	check_names("def run(x):\n    pass\ndef run(y):\n    pass\n", "y", 3);
}

TEST(what_only_looks_like_the_function_is_none)
{
	check_names("", "(none)", 0);
	check_names("def runs(x):\n", "(none)", 0);
	check_names("class A:\n    def run(x):\n        pass\n", "(none)", 0);
	check_names("# def run(x)\nrun(x)\n", "(none)", 0);
	check_names("def run(x, (y", "(none)", 0);
	check_names("def run(x, 'y", "(none)", 0);
}

static void make_python(const struct folder *f, const char *language, const char *source)
{
	AUTO_FREE char *line = xasprintf("language = \"%s\"", language);
	folder_replace(f, "task.toml", "language = \"c\"", line);
	folder_replace(f, "task.toml", "threads = 2\n", "");
	folder_replace(f, "task.toml", "build = \"gcc -O2\"\n", "language = \"python\"\n");
	folder_replace(f, "task.toml", "teacher = \"tuner\"", "teacher = \"manual\"");
	folder_replace(f, "task.toml", "student = \"tuner\"", "student = \"manual\"");
	folder_replace(f, "task.toml", "reference/saxpby.c", "reference/saxpby.py");
	folder_write(f, "reference/saxpby.py", source);
}

TEST(a_cuda_kernel_may_have_a_reference_in_python)
{
	struct err e = { 0 };
	AUTO_FOLDER struct folder f = folder_of_example();
	AUTO_TASK struct task t;
	make_python(&f, "cuda", "def run(x, y, n, alpha):\n    pass\n");
	CHECK_OK(task_load(&t, f.path, &e));
	CHECK_TEXT(t.language, "cuda");
	CHECK_TEXT(t.reference_language, "python");
	CHECK_TEXT(t.reference_build, "");
}

TEST(a_reference_says_no_language_and_has_the_tasks)
{
	struct err e = { 0 };
	AUTO_FOLDER struct folder f = folder_of_example();
	AUTO_TASK struct task t;
	CHECK_OK(task_load(&t, f.path, &e));
	CHECK_TEXT(t.reference_language, "c");
}

static void check_load(const char *language, const char *of_reference, const char *want)
{
	struct err e = { 0 };
	AUTO_FOLDER struct folder f = folder_of_example();
	AUTO_TASK struct task t = { 0 };
	AUTO_FREE char *line = xasprintf("language = \"%s\"\n", of_reference);
	make_python(&f, language, "");
	folder_replace(&f, "task.toml", "language = \"python\"\n", line);
	CHECK(task_load(&t, f.path, &e) < 0);
	if (!strstr(e.text, want))
		printf("# %s\n", e.text);
	CHECK(strstr(e.text, want));
}

TEST(languages_that_can_not_meet_are_refused)
{
	check_load("c", "python",
		   "a reference of language \"python\" for kernels of language \"c\"");
	check_load("cuda", "c", "a reference of language \"c\" for kernels of language \"cuda\"");
	check_load("cuda", "ada", "unknown language \"ada\"");
}

static void check_found(const char *language, const char *source, const char *want)
{
	AUTO_FOLDER struct folder f = folder_of_example();
	AUTO_FINDINGS struct findings found = { 0 };
	make_python(&f, language, source);
	if (str_equal(language, "python"))
		folder_replace(&f, "task.toml", "entry = \"saxpby\"", "entry = \"run\"");
	task_lint(f.path, &found);
	bool is_found = !want;
	size_t nr_errors = 0;
	for (size_t i = 0; i < found.nr; i++) {
		/* The example's judge is called as its C reference is. */
		if (strstr(found.items[i].text, "the judge does not define run"))
			continue;
		nr_errors += found.items[i].is_error;
		is_found |= want && strstr(found.items[i].text, want);
		if (!want)
			printf("# %s:%u: %s\n", found.items[i].file, found.items[i].line,
			       found.items[i].text);
	}
	CHECK(is_found);
	CHECK(want || nr_errors == 0);
}

TEST(a_python_reference_is_held_to_its_parameters)
{
	check_found("cuda", "def run(x, y, n, alpha):\n    pass\n", NULL);
	check_found("python", "def run(x, y, n, alpha):\n    pass\n", NULL);
	check_found("cuda", "def run(x, n, y, alpha):\n    pass\n",
		    "the parameters of run are (x, n, y, alpha)");
	check_found("cuda", "def saxpby(x, y, n, alpha):\n    pass\n",
		    "does not define \"def run(x, y, n, alpha)\"");
}

TEST(the_prototype_of_a_python_task_is_pythons)
{
	struct err e = { 0 };
	AUTO_FOLDER struct folder f = folder_of_example();
	AUTO_TASK struct task t;
	AUTO_STR struct str text = STR_INIT;
	make_python(&f, "python", "");
	folder_replace(&f, "task.toml", "entry = \"saxpby\"", "entry = \"run\"");
	CHECK_OK(task_load(&t, f.path, &e));
	task_prototype(&t, &text);
	CHECK_TEXT(text.text, "def run(x, y, n, alpha)");
}

/* The source of a kernel is no documentation, and a quote behind a backslash ends nothing. */
TEST(long_strings_within_a_line_stay)
{
	AUTO_FREE char *kept = python_without_prose("S = r\"\"\"__global__\nvoid f()\"\"\"\nx = 1");
	CHECK_TEXT(kept, "S = r\"\"\"__global__\nvoid f()\"\"\"\nx = 1");
	AUTO_FREE char *out = python_without_prose("  \"\"\"a\\\"\"\"b\"\"\"\ny = 2");
	CHECK_TEXT(out, "              \ny = 2");
}

TEST(prose_of_a_module_is_blank_and_its_lines_stay)
{
	AUTO_FREE char *out =
		python_without_prose("x = '#no' # of the library\n"
				     "\"\"\"Two\nlines. \"\"\"\ny = \"a\\\"#b\"\n# end");
	CHECK_TEXT(out, "x = '#no'                 \n      \n          \ny = \"a\\\"#b\"\n     ");
}

TEST_MAIN()
