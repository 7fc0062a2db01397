#include "model/task.h"

#include "folder.h"
#include "model/task_agents.h"
#include "model/task_linear.h"

TEST(the_worked_example_of_the_page_loads)
{
	struct err e = { 0 };
	AUTO_FOLDER struct folder f = folder_of_example();
	AUTO_TASK struct task t;
	AUTO_STR struct str prototype = STR_INIT;
	CHECK_OK(task_load(&t, f.path, &e));
	CHECK_TEXT(t.name, "saxpby");
	CHECK_TEXT(t.language, "c");
	CHECK_INT(t.threads, 2);
	CHECK_INT(t.nr_args, 4);
	CHECK_INT(t.args[1].role, ARG_INOUT);
	CHECK(arg_is_input(&t.args[1]) && arg_is_output(&t.args[1]));
	CHECK(arg_is_input(&t.args[0]) && !arg_is_output(&t.args[0]));
	CHECK_INT(t.args[2].line, 19);
	CHECK_TEXT(t.reference_run, "reference/saxpby.c");
	CHECK(t.reference_is_source);
	CHECK_INT(t.nr_deny, 0);
	CHECK(t.ratio == 1.2 && t.limits.hours == 0.5);
	CHECK_TEXT(t.judge, "judge/judge.c");
	CHECK_INT(t.shapes.nr, 3);
	task_prototype(&t, &prototype);
	CHECK_TEXT(prototype.text, "void saxpby(const float *x, float *y, int64_t n, float alpha)");
}

TEST(linear_names_arguments_alone_or_together)
{
	struct err e = { 0 };
	AUTO_FOLDER struct folder f = folder_of_example();
	AUTO_TASK struct task t;
	folder_replace(&f, "task.toml", "threads = 2", "linear = [\"x+y\"]");
	CHECK_OK(task_load(&t, f.path, &e));
	CHECK_INT(t.nr_linear, 1);
	CHECK(task_linear_has(t.linear[0], "x") && task_linear_has(t.linear[0], "y"));
	CHECK(!task_linear_has(t.linear[0], "x+y") && !task_linear_has(t.linear[0], "n"));
}

TEST(a_linear_task_has_float_outputs_only)
{
	struct err e = { 0 };
	AUTO_FOLDER struct folder f = folder_of_example();
	AUTO_TASK struct task t;
	folder_write(&f, "task.toml",
		     "[task]\nname='a'\nentry='b'\nlinear=['x']\n[[arg]]\nname='x'\nrole='in'\n"
		     "dtype='f32'\nshape=['n']\n[[arg]]\nname='y'\nrole='out'\ndtype='i32'\n"
		     "shape=['n']\n");
	CHECK(task_load(&t, f.path, &e) < 0);
	CHECK(strstr(e.text, "4:8: linear, but output y is of type i32"));
}

static void agents_table(const struct folder *f, const char *more)
{
	AUTO_FREE char *table = xasprintf("student = \"tuner\"\n%s", more);
	folder_replace(f, "task.toml", "student = \"tuner\"", table);
}

TEST(settings_of_a_driver_hold_for_both_roles_but_where_one_says_otherwise)
{
	struct err e = { 0 };
	AUTO_FOLDER struct folder f = folder_of_example();
	AUTO_TASK struct task t;
	agents_table(&f, "[agents.openai-chat]\nprofile = 'deepseek'\nmodel = 'a'\n"
			 "[agents.openai-chat.student]\nmodel = 'b'\n[agents.cmd]\n"
			 "command = ['x', 'y']\n");
	CHECK_OK(task_load(&t, f.path, &e));
	struct agent_settings teacher = task_agent_settings(&t, "openai-chat", true);
	struct agent_settings student = task_agent_settings(&t, "openai-chat", false);
	CHECK_TEXT(teacher.profile, "deepseek");
	CHECK_TEXT(teacher.model, "a");
	CHECK_TEXT(student.profile, "deepseek");
	CHECK_TEXT(student.model, "b");
	CHECK_INT(task_agent_settings(&t, "cmd", true).nr_command, 2);
	CHECK(!task_agent_settings(&t, "claude", true).model);
}

TEST(a_table_of_an_agent_that_is_wrong_is_named_with_its_line)
{
	static const struct {
		const char *table;
		const char *want;
	} rows[] = {
		{ "[agents.chat]\nmodel = 'a'\n", "unknown key chat in [agents]" },
		{ "[agents.cmd]\nmodle = 'a'\n", "unknown key modle in [agents.cmd]" },
		{ "[agents.cmd.student]\nteacher = {}\n", "[agents.cmd.student] holds settings" },
		{ "[agents.cmd]\ncontext_window = 3\n", "context_window must be from 1024" },
		{ "[agents.cmd]\nmodel = 3\n", "model must be a string" },
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct err e = { 0 };
		AUTO_FOLDER struct folder f = folder_of_example();
		AUTO_TASK struct task t = { 0 };
		agents_table(&f, rows[i].table);
		CHECK(task_load(&t, f.path, &e) < 0);
		printf("# %s\n", e.text);
		CHECK(strstr(e.text, rows[i].want));
	}
}

TEST(what_is_left_out_has_the_documented_default)
{
	struct err e = { 0 };
	AUTO_FOLDER struct folder f = folder_of_example();
	AUTO_TASK struct task t;
	folder_write(&f, "task.toml",
		     "[task]\nname='a'\nentry='b'\n[[arg]]\nname='y'\nrole='out'\n"
		     "dtype='bf16'\nshape=['n']\n");
	folder_remove(&f, "judge");
	CHECK_OK(task_load(&t, f.path, &e));
	CHECK_TEXT(t.language, "c");
	CHECK_INT(t.threads, 1);
	CHECK_INT(t.judge_threads, 1);
	CHECK(t.reference_run == NULL && t.judge == NULL && t.flops == NULL);
	CHECK_TEXT(t.reference_build, "gcc -O2");
	CHECK(t.ratio == 1.2 && t.limits.hours == 2.0 &&
	      limits_get(&t.limits.of[LIMITS_RUN], RESOURCE_USD) == 20.0);
	CHECK_INT(t.limits.max_meta, 3);
	CHECK_INT(t.limits.stall, 4);
	CHECK(limits_get(&t.limits.of[LIMITS_RUN], RESOURCE_TOKENS) == 5000000);
	CHECK(!limits_has(&t.limits.of[LIMITS_RUN], RESOURCE_REQUESTS));
	CHECK(!limits_has(&t.limits.of[LIMITS_RUN], RESOURCE_TOOL_CALLS));
	CHECK_TEXT(t.teacher, "tuner");
	CHECK_TEXT(t.student, "tuner");
}

TEST(roles_and_milestones_have_budgets_of_their_own)
{
	struct err e = { 0 };
	AUTO_FOLDER struct folder f = folder_of_example();
	AUTO_TASK struct task t;
	AUTO_STR struct str text = STR_INIT;
	folder_replace(&f, "task.toml", "[agents]",
		       "output = 7\n[budget.teacher]\nusd = 2\nrequests = 3\n[budget.student]\n"
		       "hours = 0.5\ntokens = 10\n[budget.milestone]\ntool_calls = 4\n"
		       "cache_write_1h = 9\n[agents]");
	CHECK_OK(task_load(&t, f.path, &e));
	for (int i = 0; i < LIMITS_NR; i++) {
		str_addf(&text, "%s: ", limits_scope_name((enum limits_scope)i));
		limits_print(&t.limits.of[i], &text);
		str_add(&text, "\n");
	}
	CHECK_TEXT(text.text, "run: 0.5 h, 20.00 USD, 5000000 tokens, 7 tokens of output\n"
			      "teacher: 2.00 USD, 3 requests\n"
			      "student: 0.5 h, 10 tokens\n"
			      "milestone: 4 tool calls, 9 tokens written to caches for an hour\n");
}

TEST(a_budget_of_a_role_that_is_wrong_is_named_with_its_line)
{
	static const struct {
		const char *table;
		const char *want;
	} rows[] = {
		{ "[budget.techer]\nusd = 2\n", "unknown key techer in [budget]" },
		{ "[budget.teacher]\nmax_meta = 2\n", "unknown key max_meta in [budget.teacher]" },
		{ "[budget.teacher]\nusd = 0\n", "usd must be above 0" },
		{ "[budget.student]\nhours = -1\n", "hours must be above 0" },
		{ "[budget.student]\ntokens = 0\n", "tokens must be at least 1" },
		{ "[budget.milestone]\noutput = 0\n", "output must be at least 1" },
		{ "[budget.milestone]\nrequests = \"all\"\n", "requests must be an integer" },
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct err e = { 0 };
		AUTO_FOLDER struct folder f = folder_of_example();
		AUTO_TASK struct task t = { 0 };
		AUTO_FREE char *text = xasprintf("%s[agents]", rows[i].table);
		folder_replace(&f, "task.toml", "[agents]", text);
		CHECK(task_load(&t, f.path, &e) < 0);
		printf("# %s\n", e.text);
		CHECK(strstr(e.text, rows[i].want));
	}
}

struct bad_row {
	const char *from;
	const char *to;
	const char *message; /* behind "task.toml:" */
};

static const struct bad_row bad[] = {
	{ "[task]", "[tsak]",
	  "1:2: unknown key tsak in a task; the keys are task arg work reference target budget "
	  "agents leaderboard judge cuda" },
	{ "threads = 2", "treads = 2",
	  "5:1: unknown key treads in [task]; the keys are name language entry threads "
	  "linear" },
	{ "threads = 2", "linear = [\"z\"]", "5:11: linear names \"z\", which is no argument" },
	{ "threads = 2", "linear = [\"x\", \"n\"]",
	  "5:16: linear names n, which is no input tensor of a float type" },
	{ "threads = 2", "linear = [\"\"]", "5:11: linear has an empty item" },
	{ "threads = 2", "threads = 0", "5:11: threads must be 1 to 256" },
	{ "[work]", "[judge]\nthreads = 257\n[work]", "31:11: threads must be 1 to 256" },
	{ "[work]", "[judge]\ncores = 2\n[work]",
	  "31:1: unknown key cores in [judge]; the keys are threads" },
	{ "threads = 2", "threads = \"2\"", "5:11: threads must be an integer, not a string" },
	{ "name = \"saxpby\"", "name = \"a/b\"",
	  "2:8: the name \"a/b\" can not name a folder; use letters, digits, _ - ." },
	{ "name = \"saxpby\"", "", "1:2: [task] has no name; add it" },
	{ "entry = \"saxpby\"", "entry = \"2x\"",
	  "4:9: the entry \"2x\" is not a C identifier of at most 31 characters" },
	{ "language = \"c\"", "language = \"ada\"",
	  "3:12: unknown language \"ada\"; known: c cuda python pypto" },
	{ "role = \"in\"", "role = \"input\"",
	  "9:8: unknown role \"input\"; known: in out inout scalar workspace" },
	{ "dtype = \"f32\"", "dtype = \"float\"",
	  "10:9: unknown dtype \"float\"; known: f64 f32 f16 bf16 f8e4m3 f8e5m2 i64 i32 i8 u8 "
	  "bool" },
	{ "dtype = \"f32\"\n", "", "7:3: [[arg]] has no dtype; add it" },
	{ "shape = [\"n\"]", "shape = \"n\"",
	  "11:9: shape must be an array of strings, not a string" },
	{ "shape = [\"n\"]", "shape = []",
	  "7:3: argument x has no shape; give one expression per extent, as in shape = [\"rows\", "
	  "\"cols\"]" },
	{ "shape = [\"n\"]", "shape = [\"n\", \"n+\"]",
	  "11:15: expression \"n+\" column 3: expected a whole number, a dim or '('" },
	{ "shape = [\"n\"]", "shape = [\"n\"]\nvalue = 1",
	  "12:9: argument x has a value; only scalars have one" },
	{ "value = \"0.5\"", "shape = [\"n\"]", "28:9: scalar alpha has a shape; remove it" },
	{ "value = \"0.5\"", "value = [1]",
	  "28:9: value must be a number or a string, not an array" },
	{ "name = \"y\"", "name = \"x\"",
	  "13:3: a second argument named x (the first is on line 7)" },
	{ "name = \"y\"", "name = \"saxpby\"",
	  "13:3: argument saxpby has the name of the entry; rename it" },
	{ "name = \"y\"", "name = \"y-1\"",
	  "14:8: the argument \"y-1\" is not a C identifier of at most 31 characters" },
	{ "flops = \"3*n\"", "flops = \"3 n\"",
	  "31:9: expression \"3 n\" column 3: expected an operator or the end" },
	{ "flops = \"3*n\"", "flops = 3", "31:9: flops must be a string, not an integer" },
	{ "run = \"reference/saxpby.c\"", "run = \"../x.c\"",
	  "35:7: run = \"../x.c\" leaves the task's folder; put the reference inside" },
	{ "run = \"reference/saxpby.c\"", "run = \"/x.c\"",
	  "35:7: run = \"/x.c\" leaves the task's folder; put the reference inside" },
	{ "run = \"reference/saxpby.c\"\n", "", "34:2: [reference] has no run; add it" },
	{ "source = true", "source = true\nblackbox = true",
	  "34:2: source and blackbox exclude each other; keep one" },
	{ "ratio = 1.2", "ratio = 1",
	  "41:9: ratio must be above 1; it is how much faster the goal is" },
	{ "ratio = 1.2", "ratio = nan",
	  "41:9: ratio must be above 1; it is how much faster the goal is" },
	{ "hours = 0.5", "hours = 0", "44:9: hours must be above 0 and at most 8760" },
	{ "max_meta = 3", "max_meta = -1", "45:12: max_meta must not be negative" },
	{ "stall = 4", "stall = 0", "46:9: stall must be at least 1" },
	{ "usd = 20.0", "usd = -1", "47:7: usd must not be negative, and at most 1000000" },
	{ "tokens = 5000000", "tokens = -5", "48:10: tokens must not be negative" },
	{ "tokens = 5000000", "requests = 0",
	  "48:12: requests must be at least 1; without the key there is no limit" },
	{ "tokens = 5000000", "tool_calls = -2",
	  "48:14: tool_calls must be at least 1; without the key there is no limit" },
	{ "tokens = 5000000", "teacher_jobs = -1", "48:16: teacher_jobs must not be negative" },
	{ "ratio = 1.2", "ratio = 1.2\nmargin = 2",
	  "42:1: unknown key margin in [target]; the keys are ratio shape_loss" },
	{ "ratio = 1.2", "ratio = 1.2\nshape_loss = 1",
	  "42:14: shape_loss must be from 0 to below 1; it is the share of its speed that a single "
	  "shape may lose" },
	{ "ratio = 1.2", "ratio = 1.2\nshape_loss = -0.1",
	  "42:14: shape_loss must be from 0 to below 1; it is the share of its speed that a single "
	  "shape may lose" },
	{ "[target]\nratio = 1.2", "[[target]]\nratio = 1.2", "40:3: [target] must be a table" },
	{ "hours = 0.5", "hours = 0.5.5",
	  "44:9: 0.5.5 is not a number; no leading zeros, '_' only between digits" },
};

TEST(a_wrong_task_is_refused_with_place_and_cure)
{
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct err e = { 0 };
		struct task t;
		AUTO_FOLDER struct folder f = folder_of_example();
		folder_replace(&f, "task.toml", bad[i].from, bad[i].to);
		AUTO_FREE char *want = xasprintf("%s/task.toml:%s", f.path, bad[i].message);
		CHECK(task_load(&t, f.path, &e) < 0);
		CHECK_INT(e.kind, ERR_INPUT);
		CHECK_TEXT(e.text, want);
	}
}

TEST(a_task_without_table_or_arguments_or_files_is_refused)
{
	struct err e = { 0 };
	struct task t;
	AUTO_FOLDER struct folder f = folder_of_example();
	folder_write(&f, "task.toml", "");
	CHECK(task_load(&t, f.path, &e) < 0);
	CHECK(str_ends(e.text, "no [task] table; add it with name and entry"));
	folder_write(&f, "task.toml", "[task]\nname='a'\nentry='b'\n");
	CHECK(task_load(&t, f.path, &e) < 0);
	CHECK(str_ends(e.text,
		       "no arguments; write one [[arg]] table for each, in the entry's order"));
	folder_remove(&f, "task.toml");
	CHECK(task_load(&t, f.path, &e) < 0);
	CHECK(strstr(e.text, "task.toml: No such file") != NULL);
}

static struct dim some_dims[] = { { "n", 6 }, { "flag", 1 }, { "big", INT64_MAX }, { "zero", 0 } };
static const struct dims dims = { some_dims, ARRAY_LEN(some_dims) };

static const char *shape_of[] = { "2*n", "ceil(n,4)" };

TEST(extents_and_elements_follow_the_dims)
{
	struct err e = { 0 };
	int64_t extent[2];
	size_t nr;
	const struct arg arg = {
		.name = "x", .shape = shape_of, .nr_shape = 2, .dtype = DTYPE_F32
	};
	CHECK_OK(arg_extents(&arg, &dims, extent, &e));
	CHECK_INT(extent[0], 12);
	CHECK_INT(extent[1], 2);
	CHECK_OK(arg_elements(&arg, &dims, &nr, &e));
	CHECK_INT(nr, 24);
	const struct arg scalar = { .name = "s", .role = ARG_SCALAR };
	CHECK_OK(arg_elements(&scalar, &dims, &nr, &e));
	CHECK_INT(nr, 1);
}

static void check_no_elements(const char **shape, size_t nr_shape, const char *message)
{
	struct err e = { 0 };
	size_t nr;
	const struct arg arg = { .name = "x", .shape = shape, .nr_shape = nr_shape };
	CHECK(arg_elements(&arg, &dims, &nr, &e) < 0);
	CHECK_TEXT(e.text, message);
}

TEST(sizes_that_are_not_positive_or_overflow_are_errors)
{
	const char *zero[] = { "n", "zero" };
	const char *negative[] = { "n-7" };
	const char *huge[] = { "big", "2" };
	const char *bytes[] = { "big/4" };
	check_no_elements(zero, 2, "argument x: extent 0, \"zero\", is 0; it must be positive");
	check_no_elements(negative, 1, "argument x: extent 0, \"n-7\", is -1; it must be positive");
	check_no_elements(huge, 2, "argument x: its size does not fit 64 bits");
	check_no_elements(bytes, 1, "argument x: its size does not fit 64 bits");
}

static double scalar_of(enum dtype dtype, const char *name, const char *value)
{
	struct err e = { 0 };
	unsigned char bytes[8];
	const struct arg arg = { .name = name, .role = ARG_SCALAR, .dtype = dtype, .value = value };
	CHECK_OK(arg_scalar(&arg, &dims, bytes, &e));
	return dtype_load(dtype, bytes, 0);
}

TEST(a_scalar_is_a_number_an_expression_or_its_dim)
{
	CHECK(scalar_of(DTYPE_F32, "eps", "1e-5") == (double)1e-5F);
	CHECK(scalar_of(DTYPE_F64, "eps", "-0.25") == -0.25);
	CHECK(scalar_of(DTYPE_F64, "eps", "2*n+1") == 13);
	CHECK(scalar_of(DTYPE_F32, "n", NULL) == 6);
	CHECK(scalar_of(DTYPE_I64, "n", NULL) == 6);
	CHECK(scalar_of(DTYPE_I32, "m", "n*n") == 36);
	CHECK(scalar_of(DTYPE_BOOL, "flag", NULL) == 1);
	CHECK(scalar_of(DTYPE_BF16, "s", "0.5") == 0.5);
}

TEST(the_bytes_behind_a_narrow_scalar_are_zero)
{
	struct err e = { 0 };
	unsigned char bytes[8];
	const struct arg arg = { .name = "n", .role = ARG_SCALAR, .dtype = DTYPE_I32 };
	memset(bytes, 0xFF, sizeof(bytes));
	CHECK_OK(arg_scalar(&arg, &dims, bytes, &e));
	CHECK(memcmp(bytes, "\6\0\0\0\0\0\0\0", 8) == 0);
}

static void check_no_scalar(enum dtype dtype, const char *value, const char *end)
{
	struct err e = { 0 };
	unsigned char bytes[8];
	const struct arg arg = { .name = "s", .role = ARG_SCALAR, .dtype = dtype, .value = value };
	CHECK(arg_scalar(&arg, &dims, bytes, &e) < 0);
	CHECK(str_ends(e.text, end));
}

TEST(a_scalar_that_does_not_fit_is_an_error)
{
	check_no_scalar(DTYPE_I32, "big", "9223372036854775807 does not fit i32");
	check_no_scalar(DTYPE_U8, "-1", "-1 does not fit u8");
	check_no_scalar(DTYPE_BOOL, "2", "2 does not fit bool");
	check_no_scalar(DTYPE_I64, "1.5", "expected an operator after the whole number");
	check_no_scalar(DTYPE_F32, "1.5x", "expected an operator after the whole number");
	check_no_scalar(DTYPE_I64, NULL, "no dim is named s; the dims are n flag big zero");
}

TEST(work_is_evaluated_or_absent)
{
	struct err e = { 0 };
	double work = 9;
	CHECK_OK(task_work("4*n", &dims, &work, &e));
	CHECK(work == 24);
	CHECK(task_work(NULL, &dims, &work, &e) < 0);
	CHECK(work == 0);
	CHECK(task_work("4*m", &dims, &work, &e) < 0);
}

TEST_MAIN()
