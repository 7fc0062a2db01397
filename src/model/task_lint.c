#include "model/lint.h"

/* `forge check` without running anything. What task_load refuses is one finding at its place; a
 * task that loads goes through every group of rules, so that one call shows all there is to mend.
 */

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/file.h"
#include "base/toml.h"
#include "model/ctokens.h"
#include "model/language.h"
#include "model/shape_line.h"

unsigned lint_line(const struct lint *l, const char *table, const char *key)
{
	const struct toml *in = toml_get(l->root, table);
	const struct toml *value = in ? toml_get(in, key) : NULL;
	return value ? value->line : in ? in->line : 1;
}

const char *lint_reference(const struct lint *l)
{
	return l->task->leaderboard ? "leaderboard" : "reference";
}

unsigned lint_shape_line(const struct lint *l, const char *pointer)
{
	return shape_line(l->task->shapes.path, pointer);
}

/* "path:LINE:COL: text", as the loaders say it, becomes a finding with file and line. */
static void add_load_error(const char *task_path, const char *text, struct findings *f)
{
	unsigned line = 1;
	unsigned col = 0;
	int end = 0;
	const char *colon = strchr(text, ':');
	while (colon && sscanf(colon, ":%u:%u: %n", &line, &col, &end) != 2)
		colon = strchr(colon + 1, ':');
	AUTO_FREE char *file = colon ? xstrndup(text, (size_t)(colon - text)) : NULL;
	if (colon && end)
		finding_error(f, file, line, "%s", colon + end);
	else
		finding_error(f, task_path, 1, "%s", text);
}

static void lint_names(const struct lint *l)
{
	const struct task *t = l->task;
	const char *kind = ctoken_common_kind(t->entry);
	if (!kind && (str_starts(t->entry, "forge_") || str_starts(t->entry, "_")))
		kind = "reserved (forge_... and _... are)";
	if (kind)
		LINT_ERROR(l, l->task_path, lint_line(l, "task", "entry"),
			   "the entry %s is %s; give it another name", t->entry, kind);
	for (size_t i = 0; i < t->nr_args; i++)
		if (ctoken_is_common(t->args[i].name))
			LINT_ERROR(l, l->task_path, t->args[i].line,
				   "the argument %s has the name of %s; rename it", t->args[i].name,
				   ctoken_common_kind(t->args[i].name));
	if (!language_find(t->language)->is_checked)
		LINT_ERROR(l, l->task_path, lint_line(l, "task", "language"),
			   "language \"%s\" is not supported by this version; use \"c\", "
			   "\"cuda\" or \"python\"",
			   t->language);
	if (str_equal(t->language, "python") && !str_equal(t->entry, PYTHON_ENTRY))
		LINT_ERROR(l, l->task_path, lint_line(l, "task", "entry"),
			   "the entry of a Python task is \"" PYTHON_ENTRY "\", not \"%s\"",
			   t->entry);
}

static void lint_roles(const struct lint *l)
{
	size_t nr_outputs = 0;
	for (size_t i = 0; i < l->task->nr_args; i++)
		nr_outputs += arg_is_output(&l->task->args[i]);
	if (nr_outputs == 0)
		LINT_ERROR(l, l->task_path, 1,
			   "no argument is an output; give one the role \"out\" or \"inout\"");
}

static void lint_agent(const struct lint *l, const char *key, const char *name)
{
	static const char *const known[] = { "tuner",       "claude",    "codex",
					     "openai-chat", "anthropic", "acp",
					     "cmd",         "manual",    "replay" };
	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (strcmp(name, known[i]) == 0)
			return;
	LINT_ERROR(l, l->task_path, lint_line(l, "agents", key),
		   "unknown agent \"%s\"; known: tuner claude codex openai-chat anthropic acp cmd "
		   "manual replay",
		   name);
}

static void lint_build(const struct lint *l)
{
	const char *build = l->task->reference_build;
	const bool is_cuda = str_equal(l->task->reference_language, "cuda");
	const size_t len = strcspn(build, " ");
	const bool is_c =
		(len == 3 && str_starts(build, "gcc")) || (len == 5 && str_starts(build, "clang"));
	const bool is_nvcc = len == 4 && str_starts(build, "nvcc");
	if (str_equal(l->task->reference_language, "python")) {
		if (*build)
			LINT_ERROR(l, l->task_path, lint_line(l, "reference", "build"),
				   "build = \"%s\", and a Python module is not compiled; remove it",
				   build);
		return;
	}
	if (is_cuda ? !is_nvcc : !is_c)
		LINT_ERROR(l, l->task_path, lint_line(l, lint_reference(l), "build"),
			   "build = \"%s\" must start with %s", build,
			   is_cuda ? "nvcc" : "gcc or clang");
}

/* The embedded agent transforms C, and the rest of what is for processors alone. */
static void lint_gpu(const struct lint *l)
{
	const struct task *t = l->task;
	const char *const drivers[] = { t->teacher, t->student };
	static const char *const keys[] = { "teacher", "student" };
	const struct language *language = language_find(t->language);
	if (!language->is_gpu)
		return;
	for (size_t i = 0; i < ARRAY_LEN(drivers); i++)
		if (str_equal(drivers[i], "tuner"))
			LINT_ERROR(l, l->task_path, lint_line(l, "agents", keys[i]),
				   "the embedded agent (tuner) works on C and not on %s; name "
				   "another %s in [agents]",
				   str_equal(t->language, "cuda") ? "CUDA" : "Python", keys[i]);
	if (t->leaderboard)
		LINT_ERROR(l, l->task_path, lint_line(l, "task", "language"),
			   "a leaderboard's tasks are C in this version; use [reference]");
}

static void lint_all(const struct lint *l)
{
	lint_names(l);
	lint_roles(l);
	lint_agent(l, "teacher", l->task->teacher);
	lint_agent(l, "student", l->task->student);
	lint_build(l);
	lint_gpu(l);
	lint_description(l);
	lint_shapes(l);
	lint_sizes(l);
	lint_sources(l);
}

void task_lint(const char *dir, struct findings *f)
{
	struct err e = { 0 };
	AUTO_ARENA struct arena arena = { 0 };
	AUTO_TASK struct task task = { 0 };
	AUTO_FREE char *path = path_join(dir, "task.toml");
	struct lint lint = { .task = &task, .task_path = path, .findings = f };
	if (task_load(&task, dir, &e) < 0) {
		if (file_is_dir(dir))
			add_load_error(path, e.text, f);
		else
			finding_error(f, dir, 0, "%s", e.text + strlen(dir) + 2);
		return;
	}
	lint.root = toml_read_file(path, &arena, &e);
	if (lint.root)
		lint_all(&lint);
}
