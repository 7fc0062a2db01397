#include "cmd/cmd.h"

/* Two passes over a task: the static lint, which points at file and line, and one calibrate job
 * (check_judge.c), which tries the judge against the reference. The job is skipped when the lint
 * found an error: its message would only repeat it less well. */

#include <stdio.h>

#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"
#include "cmd/check_build.h"
#include "cmd/check_judge.h"
#include "cmd/hand.h"
#include "model/task.h"

struct check {
	bool is_json;
	bool is_static;
	json_t *answers; /* with --json: one object a task */
	bool has_errors;
};

static size_t count_errors(const struct findings *f)
{
	size_t nr = 0;
	for (size_t i = 0; i < f->nr; i++)
		nr += f->items[i].is_error;
	return nr;
}

static void print_finding(const struct finding *f)
{
	const char *severity = f->is_error ? "error" : "warning";
	if (f->line)
		printf("%s:%u: %s: %s\n", f->file, f->line, severity, f->text);
	else
		printf("%s: %s: %s\n", f->file, severity, f->text);
}

static json_t *findings_json(const struct findings *f)
{
	json_t *list = json_array();
	for (size_t i = 0; i < f->nr; i++) {
		const struct finding *one = &f->items[i];
		json_t *obj = json_object();
		json_object_set_new(obj, "file", json_string(one->file));
		json_object_set_new(obj, "line", json_integer(one->line));
		json_object_set_new(obj, "is_error", json_boolean(one->is_error));
		json_object_set_new(obj, "text", json_string(one->text));
		json_array_append_new(list, obj);
	}
	return list;
}

static const char *plural(size_t nr)
{
	return nr == 1 ? "" : "s";
}

static void print_lint(const char *dir, const struct findings *f, bool is_last_word)
{
	size_t nr_errors = count_errors(f);
	size_t nr_warnings = f->nr - nr_errors;
	for (size_t i = 0; i < f->nr; i++)
		print_finding(&f->items[i]);
	if (nr_errors)
		printf("%s: %zu error%s, %zu warning%s\n", dir, nr_errors, plural(nr_errors),
		       nr_warnings, plural(nr_warnings));
	else if (is_last_word)
		printf("%s: ok: lint only, nothing was run\n", dir);
	fflush(stdout);
}

static int check_task(struct check *c, const char *dir, struct err *e)
{
	__attribute__((cleanup(findings_release))) struct findings found = { 0 };
	task_lint(dir, &found);
	check_build(dir, &found);
	size_t nr_errors = count_errors(&found);
	bool is_run = !nr_errors && !c->is_static;
	json_t *answer = json_object();
	json_object_set_new(answer, "task", json_string(dir));
	json_object_set_new(answer, "findings", findings_json(&found));
	json_array_append_new(c->answers, answer);
	if (!c->is_json)
		print_lint(dir, &found, !is_run);
	bool is_good = !nr_errors;
	if (is_run && check_judge(dir, c->is_json, answer, &is_good, e) < 0)
		return -1;
	c->has_errors = c->has_errors || !is_good;
	return 0;
}

int cmd_check(const struct cmd_call *call, struct err *e)
{
	int code = 0;
	struct check c = { 0 };
	const struct opt rows[] = {
		{ 0, "no-run", OPT_FLAG, NULL, "lint the files only, build nothing", &c.is_static },
		{ 0, "json", OPT_FLAG, NULL, "one JSON array, an object a task", &c.is_json },
	};
	AUTO_STRV struct strv rest = { 0 };
	if (!cmd_parse(call, OPT_TABLE(rows), &rest, &code, e))
		return code;
	AUTO_JSON json_t *answers = json_array();
	c.answers = answers;
	for (size_t i = 0; i < rest.nr; i++)
		if (check_task(&c, rest.items[i], e) < 0)
			return -1;
	if (c.is_json)
		hand_print_json(answers);
	return c.has_errors ? 1 : 0;
}
