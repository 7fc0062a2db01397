#include "model/lint.h"

/* The two sources of a task, reference and judge, against the argument list of task.toml. A wrong
 * parameter order compiles and crashes or, worse, computes something; here it is one line. */

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/file.h"
#include "model/ctokens.h"
#include "model/language.h"
#include "model/python_source.h"

enum { MAX_BYTES = 4 * 1024 * 1024 };

/* One of the two: the judge takes double for every float type. */
struct source {
	const char *what; /* "the reference" */
	const char *path;
	bool is_judge;
};

static const struct language *language_of(const struct lint *l, const struct source *s)
{
	return language_find(s->is_judge ? "c" : l->task->reference_language);
}

static const char *wanted_type(const struct lint *l, const struct source *s, const struct arg *arg)
{
	return s->is_judge && dtype_is_float(arg->dtype)
		       ? "double"
		       : language_ctype(language_of(l, s), arg->dtype);
}

static bool is_same_type(const char *got, const char *want)
{
	static const char *const same[][2] = {
		{ "long", "int64_t" },
		{ "long long", "int64_t" },
		{ "long int", "int64_t" },
		{ "int", "int32_t" },
		{ "unsigned char", "uint8_t" },
		{ "bool", "uint8_t" },
		{ "_Bool", "uint8_t" },
		{ "signed char", "int8_t" },
		{ "_Float16", "uint16_t" },
		{ "__bf16", "uint16_t" },
		{ "unsigned short", "uint16_t" },
		{ "ptrdiff_t", "int64_t" },
		{ "half", "__half" },
		{ "nv_bfloat16", "__nv_bfloat16" },
	};
	for (size_t i = 0; i < ARRAY_LEN(same); i++)
		if (strcmp(got, same[i][0]) == 0 && strcmp(want, same[i][1]) == 0)
			return true;
	return strcmp(got, want) == 0;
}

static void check_param(const struct lint *l, const struct source *s, const struct cfunction *fn,
			size_t i)
{
	const struct arg *arg = &l->task->args[i];
	const struct cparam *param = &fn->params[i];
	const char *want = wanted_type(l, s, arg);
	bool is_pointer = arg->role != ARG_SCALAR;
	if (param->is_pointer != is_pointer || !is_same_type(param->type, want))
		LINT_ERROR(l, s->path, fn->line,
			   "parameter %zu of %s is \"%s %s%s\"; %s (%s) wants \"%s %s%s\"", i + 1,
			   l->task->entry, param->type, param->is_pointer ? "*" : "", param->name,
			   arg->name, dtype_name(arg->dtype), want, is_pointer ? "*" : "",
			   arg->name);
	else if (strcmp(param->name, arg->name) != 0)
		LINT_WARNING(l, s->path, fn->line,
			     "parameter %zu of %s is called %s, the argument %s; use one name",
			     i + 1, l->task->entry, param->name, arg->name);
}

static void check_stream(const struct lint *l, const struct source *s, const struct cfunction *fn,
			 const char *want)
{
	const struct cparam *last = &fn->params[fn->nr_params - 1];
	if (last->is_pointer || strcmp(last->type, want) != 0)
		LINT_ERROR(l, s->path, fn->line,
			   "the last parameter of %s is \"%s %s%s\"; it is the stream that the "
			   "kernels are enqueued on, \"%s stream\"",
			   l->task->entry, last->type, last->is_pointer ? "*" : "", last->name,
			   want);
}

static void check_function(const struct lint *l, const struct source *s, const struct cfunction *fn)
{
	const struct task *t = l->task;
	const char *stream = language_of(l, s)->stream;
	if (fn->nr_params != t->nr_args + (stream ? 1 : 0)) {
		LINT_ERROR(l, s->path, fn->line,
			   "%s takes %zu parameters and task.toml lists %zu arguments%s%s; add the "
			   "missing [[arg]] or parameter",
			   t->entry, fn->nr_params, t->nr_args,
			   stream ? ", which a stream follows: " : "", stream ? stream : "");
		return;
	}
	if (stream)
		check_stream(l, s, fn, stream);
	for (size_t i = 0; i < t->nr_args; i++)
		check_param(l, s, fn, i);
}

/* "x, w, y" for one that writes to its outputs, "x, w" for one that returns them. */
static void python_parameters(const struct task *t, bool with_outputs, struct str *out)
{
	for (size_t i = 0; i < t->nr_args; i++)
		if (with_outputs || t->args[i].role != ARG_OUT)
			str_addf(out, "%s%s", out->len ? ", " : "", t->args[i].name);
}

static void check_python(const struct lint *l, const struct source *s, const char *text)
{
	AUTO_PYFUNCTION struct pyfunction f;
	AUTO_STR struct str all = STR_INIT;
	AUTO_STR struct str inputs = STR_INIT;
	AUTO_STR struct str got = STR_INIT;
	python_parameters(l->task, true, &all);
	python_parameters(l->task, false, &inputs);
	const bool is_found = pyfunction_find(&f, text, PYTHON_ENTRY);
	for (size_t i = 0; i < f.names.nr; i++)
		str_addf(&got, "%s%s", i ? ", " : "", f.names.items[i]);
	if (!is_found)
		LINT_ERROR(l, s->path, 1, "%s does not define \"def " PYTHON_ENTRY "(%s)\"",
			   s->what, all.text);
	else if (!str_equal(got.text, all.text) && !str_equal(got.text, inputs.text))
		LINT_ERROR(l, s->path, f.line,
			   "the parameters of " PYTHON_ENTRY
			   " are (%s); they are (%s), or (%s) for "
			   "one that returns its outputs",
			   got.text, all.text, inputs.text);
}

static void check_source(const struct lint *l, const struct source *s)
{
	struct err e = { 0 };
	struct cfunction fn;
	AUTO_STR struct str text = STR_INIT;
	AUTO_CTOKENS struct ctokens tokens = { 0 };
	if (file_read(s->path, MAX_BYTES, &text, &e) < 0) {
		LINT_ERROR(l, s->path, 1, "%s", e.text);
		return;
	}
	if (str_ends(s->path, ".py")) {
		check_python(l, s, text.text);
		return;
	}
	ctokens_scan(&tokens, text.text);
	if (!ctokens_find_function(&tokens, l->task->entry, &fn)) {
		AUTO_STR struct str prototype = STR_INIT;
		if (s->is_judge && str_equal(l->task->language, "python"))
			task_judge_prototype(l->task, &prototype);
		else
			task_prototype(l->task, &prototype);
		LINT_ERROR(l, s->path, 1, "%s does not define %s; define \"%s\"%s", s->what,
			   l->task->entry, prototype.text,
			   s->is_judge ? " with double for every float type" : "");
		return;
	}
	check_function(l, s, &fn);
}

static void check_reference(const struct lint *l)
{
	const struct task *t = l->task;
	if (task_is_generated(t)) {
		if (str_equal(t->student, "tuner"))
			LINT_ERROR(l, l->task_path, 1,
				   "no [reference], and the embedded student transforms code and "
				   "writes none; add run = \"reference/%s.c\", or name another "
				   "student in [agents]",
				   t->entry);
		return;
	}
	AUTO_FREE char *path = path_join(t->dir, t->reference_run);
	const struct source source = { "the reference", path, false };
	if (!file_exists(path))
		LINT_ERROR(l, l->task_path, lint_line(l, lint_reference(l), "run"),
			   "the reference %s is not there; create it or correct run",
			   t->reference_run);
	else if (str_ends(path, language_find(t->reference_language)->suffix))
		check_source(l, &source);
	else if (!str_equal(t->reference_language, "c"))
		LINT_ERROR(l, l->task_path, lint_line(l, "reference", "run"),
			   "%s does not end in %s as sources of language \"%s\" do",
			   t->reference_run, language_find(t->reference_language)->suffix,
			   t->reference_language);
	else if (t->leaderboard)
		LINT_ERROR(l, l->task_path, lint_line(l, "leaderboard", "run"),
			   "%s is no C source; a leaderboard's reference is one", t->reference_run);
	else if (t->reference_is_source)
		LINT_ERROR(l, l->task_path, lint_line(l, "reference", "source"),
			   "%s is no C source, so there is none to show; use blackbox = true",
			   t->reference_run);
}

static void check_judge(const struct lint *l)
{
	AUTO_FREE char *path = path_join(l->task->dir, "judge/judge.c");
	const struct source source = { "the judge", path, true };
	if (l->task->judge)
		check_source(l, &source);
	else if (!task_expects_reference(l->task) && str_equal(l->task->teacher, "tuner"))
		LINT_WARNING(l, path, 1,
			     "there is no judge/judge.c; the teacher will derive one from the "
			     "reference and the judge will not be independent");
	else if (!task_expects_reference(l->task))
		LINT_WARNING(l, path, 1,
			     "there is no judge/judge.c; the teacher will write one from "
			     "description.md alone");
}

void lint_sources(const struct lint *l)
{
	check_reference(l);
	check_judge(l);
}
