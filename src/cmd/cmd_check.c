#include "cmd/cmd.h"

/* Two passes over a task: the static lint, which points at file and line, and one calibrate job
 * (check_judge.c), which tries the judge against the reference. The job is skipped when the lint
 * found an error: its message would only repeat it less well. */

#include <stdio.h>

#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"
#include "cmd/check_build.h"
#include "cmd/check_cuda.h"
#include "cmd/check_curriculum.h"
#include "cmd/check_judge.h"
#include "cmd/check_text.h"
#include "cmd/hand.h"
#include "cmd/term.h"
#include "model/language.h"
#include "model/task.h"

struct check {
	bool is_json;
	bool is_static;
	json_t *answers; /* with --json: one object a task */
	bool has_errors;
};

static void print_lint(const char *dir, const struct findings *f, bool is_last_word)
{
	size_t nr_errors = check_count_errors(f);
	size_t nr_warnings = f->nr - nr_errors;
	for (size_t i = 0; i < f->nr; i++)
		check_print_finding(&f->items[i]);
	if (nr_errors)
		term_print("%s: %zu error%s, %zu warning%s\n", dir, nr_errors,
			   check_plural(nr_errors), nr_warnings, check_plural(nr_warnings));
	else if (is_last_word)
		term_print("%s: ok: lint only, nothing was run\n", dir);
	fflush(stdout);
}

/* The other form of the command: one curriculum, at most one task. */
static int check_course(const char *path, const struct strv *rest, bool is_json, struct err *e)
{
	bool is_good = true;
	if (rest->nr > 1)
		return err_set(e, ERR_USAGE, "check: a curriculum belongs to one task, not to '%s'",
			       rest->items[1]);
	AUTO_JSON json_t *answers = json_array();
	json_t *answer = json_object();
	json_array_append_new(answers, answer);
	const char *task = rest->nr ? rest->items[0] : NULL;
	if (check_curriculum(path, task, is_json ? answer : NULL, &is_good, e) < 0)
		return -1;
	if (is_json)
		hand_print_json(answers);
	return is_good ? 0 : 1;
}

static bool is_for_gpu(const char *dir)
{
	struct err ignored = { 0 };
	AUTO_TASK struct task task = { 0 };
	return task_load(&task, dir, &ignored) == 0 && language_find(task.language)->is_gpu;
}

static int try_task(const char *dir, bool is_json, json_t *answer, bool *is_good, struct err *e)
{
	return is_for_gpu(dir) ? check_cuda(dir, is_json, answer, is_good, e)
			       : check_judge(dir, is_json, answer, is_good, e);
}

static int check_task(struct check *c, const char *dir, struct err *e)
{
	__attribute__((cleanup(findings_release))) struct findings found = { 0 };
	task_lint(dir, &found);
	check_build(dir, &found);
	size_t nr_errors = check_count_errors(&found);
	bool is_run = !nr_errors && !c->is_static;
	json_t *answer = json_object();
	json_object_set_new(answer, "task", json_string(dir));
	json_object_set_new(answer, "findings", check_findings_json(&found));
	json_array_append_new(c->answers, answer);
	if (!c->is_json)
		print_lint(dir, &found, !is_run);
	bool is_good = !nr_errors;
	if (is_run && try_task(dir, c->is_json, answer, &is_good, e) < 0)
		return -1;
	c->has_errors = c->has_errors || !is_good;
	return 0;
}

int cmd_check(const struct cmd_call *call, struct err *e)
{
	int code = 0;
	struct check c = { 0 };
	const char *curriculum = NULL;
	const struct opt rows[] = {
		{ 0, "no-run", OPT_FLAG, NULL, "lint the files only, build nothing", &c.is_static },
		{ 0, "json", OPT_FLAG, NULL, "one JSON array, an object a task", &c.is_json },
		{ 0, "curriculum", OPT_TEXT, "FILE",
		  "grade this curriculum row by row; with TASK also by its reference",
		  &curriculum },
	};
	AUTO_STRV struct strv rest = { 0 };
	if (!cmd_parse(call, OPT_TABLE(rows), &rest, &code, e))
		return code;
	if (curriculum)
		return check_course(curriculum, &rest, c.is_json, e);
	if (!rest.nr)
		return err_set(e, ERR_USAGE, "check: what shall it work on?");
	AUTO_JSON json_t *answers = json_array();
	c.answers = answers;
	for (size_t i = 0; i < rest.nr; i++)
		if (check_task(&c, rest.items[i], e) < 0)
			return -1;
	if (c.is_json)
		hand_print_json(answers);
	return c.has_errors ? 1 : 0;
}
