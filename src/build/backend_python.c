#include "build/backend.h"

/* A Python module is not compiled: what is checked and digested is what will be imported. The
 * screens need Python's own parser, so they are a program of it (screen_python.py, a part of this
 * one), run in the jail of compilers on a text that it parses and does not execute. */

#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "build/screen_python.h"
#include "build/toolbox.h"
#include "model/language.h"
#include "model/task.h"
#include "sys/gpu.h"
#include "sys/proc.h"

enum { ANSWER_MAX_BYTES = 64 << 10 };

static const char source_name[] = "kernel.py";
static const char screen_name[] = "screen.py";

/* The jail shows /usr; elsewhere a Python is as good, where there is no jail. */
static char *program(const struct toolbox *t, enum compiler c)
{
	(void)t;
	(void)c;
	if (access("/usr/bin/python3", X_OK) == 0)
		return xstrdup("/usr/bin/python3");
	char *found = proc_find("python3");
	return found ? found : xstrdup("python3");
}

static const char *version_line(const char *text)
{
	return text;
}

/* As the screens want arguments to be told. */
static const char *mark_of(enum arg_role role)
{
	return role == ARG_OUT ? ":out" : role == ARG_SCALAR ? ":scalar" : "";
}

static void argv_fill(struct strv *argv, const struct backend_object *o)
{
	const struct task *t = o->spec->task;
	AUTO_FREE char *python = program(o->toolbox, COMPILER_GCC);
	strv_add(argv, python);
	strv_add(argv, "-I");
	strv_add(argv, "-S");
	strv_add(argv, "-B");
	strv_add(argv, screen_name);
	strv_add(argv, source_name);
	strv_add(argv, build_role_name(o->spec->role));
	for (size_t i = 0; i < t->nr_args; i++)
		strv_addf(argv, "%s%s", t->args[i].name, mark_of(t->args[i].role));
}

/* A parser that dies of a source says that it is none. */
static int take_answer(const struct backend_object *o, const struct proc_result *r, struct err *e)
{
	AUTO_STR struct str how = STR_INIT;
	AUTO_JSON json_t *answer = json_loads(r->out.text, 0, NULL);
	if (proc_result_is_ok(r) && answer)
		return screen_python_take(answer, o->verdict, o->facts, e);
	proc_result_describe(r, &how);
	*o->verdict = verdict_make(REASON_compile_failed, "Python can not parse the source (%s)",
				   how.text);
	return 0;
}

static int examine(const struct backend_object *o, struct err *e)
{
	AUTO_STRV struct strv argv = { 0 };
	AUTO_PROC_RESULT struct proc_result r = { 0 };
	if (toolbox_put(o->toolbox, screen_name, screen_python_text, strlen(screen_python_text),
			e) < 0)
		return -1;
	argv_fill(&argv, o);
	if (toolbox_run(o->toolbox, &argv, ANSWER_MAX_BYTES, &r, e) < 0)
		return err_wrap(e, "screen the Python source");
	return take_answer(o, &r, e);
}

static int runs_here(struct err *e)
{
	struct gpu gpu;
	if (gpu_probe(&gpu, NULL, e) < 0)
		return err_wrap(e,
				"Python kernels run on a machine with an NVIDIA GPU and PyTorch");
	return 0;
}

const struct backend_ops backend_python = {
	.language = "python",
	.source_name = source_name,
	.default_build = "",
	.program = program,
	.version_line = version_line,
	.examine = examine,
	.is_script = true,
	.runs_here = runs_here,
};
