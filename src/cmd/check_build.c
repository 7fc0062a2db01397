#include "cmd/check_build.h"

/* A flag that no kernel may use would stop the first build of a run; here it has a file and a line.
 */

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/toml.h"
#include "build/directive.h"
#include "model/language.h"
#include "model/lint.h"
#include "sys/cpu.h"

enum { MAX_SOURCE_BYTES = 4 * 1024 * 1024 };

/* Any other compiler is a finding of the lint. */
static bool is_known_compiler(const char *build)
{
	return str_starts(build, "gcc ") || str_starts(build, "clang ") ||
	       str_starts(build, "nvcc ");
}

static void check_settings(const struct lint *l)
{
	const struct task *t = l->task;
	if (!is_known_compiler(t->reference_build))
		return;
	AUTO_DIRECTIVE struct directive d = { 0 };
	const struct verdict v = directive_parse(&d, "", t->reference_build, t->threads);
	if (v.state != VERDICT_NONE)
		LINT_ERROR(l, l->task_path, lint_line(l, lint_reference(l), "build"),
			   "build = \"%s\": %s", t->reference_build, v.detail);
}

static unsigned line_of(const char *text, const char *part)
{
	unsigned line = 1;
	const char *end = strstr(text, part);
	for (const char *at = text; end && at < end; at++)
		line += *at == '\n';
	return line;
}

/* The comment of the reference's own, which goes before the settings. */
static void check_reference(const struct lint *l)
{
	struct err ignored = { 0 };
	AUTO_STR struct str text = STR_INIT;
	AUTO_FREE char *path = path_join(l->task->dir, l->task->reference_run);
	const struct language *language = language_find(l->task->reference_language);
	if (!language->is_checked || language_is(language, "python") ||
	    !str_ends(path, language->suffix) ||
	    file_read(path, MAX_SOURCE_BYTES, &text, &ignored) < 0)
		return;
	AUTO_DIRECTIVE struct directive d = { 0 };
	const struct verdict v =
		directive_parse(&d, text.text, language->default_build, l->task->threads);
	if (v.state != VERDICT_NONE)
		LINT_ERROR(l, path, line_of(text.text, "forge-build:"), "forge-build: %s",
			   v.detail);
}

static void check_threads(const struct lint *l)
{
	struct err ignored = { 0 };
	struct cpu_list cpus = { 0 };
	const unsigned threads = l->task->threads;
	if (cpu_usable(&cpus, &ignored) == 0 && threads > cpus.nr)
		LINT_WARNING(l, l->task_path, lint_line(l, "task", "threads"),
			     "threads = %u, and this machine has %u core%s to use: threads would "
			     "wait for each other and times would say little",
			     threads, cpus.nr, cpus.nr == 1 ? "" : "s");
}

void check_build(const char *dir, struct findings *f)
{
	struct err ignored = { 0 };
	AUTO_ARENA struct arena arena = { 0 };
	AUTO_TASK struct task task = { 0 };
	AUTO_FREE char *path = path_join(dir, "task.toml");
	struct lint lint = { .task = &task, .task_path = path, .findings = f };
	if (task_load(&task, dir, &ignored) < 0)
		return;
	lint.root = toml_read_file(path, &arena, &ignored);
	if (!lint.root)
		return;
	check_settings(&lint);
	if (task.reference_run)
		check_reference(&lint);
	check_threads(&lint);
}
