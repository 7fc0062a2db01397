#include "cmd/cmd.h"

/* Two passes over a task: the static lint, which points at file and line, and one calibrate job,
 * which builds reference and judge, aligns them on every case and runs the self-test. The job is
 * skipped when the lint found an error: its message would only repeat it less well. */

#include <stdio.h>

#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"
#include "cmd/hand.h"
#include "engine/engine.h"
#include "model/task.h"

struct check_options {
	bool is_json;
	bool is_static;
};

struct check {
	const struct check_options *options;
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
	for (size_t i = 0; i < f->nr; i++)
		json_array_append_new(list, json_pack("{ss si sb ss}", "file", f->items[i].file,
						      "line", (int)f->items[i].line, "is_error",
						      (int)f->items[i].is_error, "text",
						      f->items[i].text));
	return list;
}

static bool result_is_good(const struct result *r)
{
	const json_t *calibration = json_object_get(r->doc, "calibration");
	return !r->error && json_bool_or(calibration, "ok", false);
}

/* Why a calibration did not hold, in the worker's words. */
static void describe_failure(const struct result *r, char *out, size_t len)
{
	snprintf(out, len, "%s", r->error ? r->error : "the calibration did not end");
}

static int try_judge(const char *dir, struct engine_answer *answer, struct err *e)
{
	const struct engine_hand hand = {
		.task_dir = dir,
		.kind = JOB_CALIBRATE,
		.held_out = true,
	};
	const struct engine_host host = { .accept_weak_sandbox = true };
	const struct engine_hooks hooks = hand_hooks();
	return engine_by_hand(&hand, &host, &hooks, answer, e);
}

static void report_judge(struct check *c, const char *dir, const struct result *r, json_t *answer)
{
	char why[512] = "";
	bool is_good = result_is_good(r);
	if (!is_good)
		describe_failure(r, why, sizeof(why));
	json_object_set_new(answer, "cases", hand_cases_json(r));
	if (!is_good)
		json_object_set_new(answer, "judge", json_string(why));
	c->has_errors = c->has_errors || !is_good;
	if (c->options->is_json)
		return;
	hand_print_cases(r, false);
	if (is_good)
		printf("%s: ok: %zu cases, judge and reference agree, the self-test holds\n", dir,
		       r->nr_cases);
	else
		printf("%s: error: %s\n", dir, why);
}

static int check_judge(struct check *c, const char *dir, json_t *answer, struct err *e)
{
	AUTO_TASK struct task task = { 0 };
	if (task_load(&task, dir, e) < 0)
		return -1;
	if (!task.judge) {
		if (!c->options->is_json)
			printf("%s: ok: no judge of its own; a run asks the teacher for one\n",
			       dir);
		return 0;
	}
	AUTO_ENGINE_ANSWER struct engine_answer done = { 0 };
	if (try_judge(dir, &done, e) < 0)
		return err_wrap(e, "check %s", dir);
	report_judge(c, dir, &done.result, answer);
	return 0;
}

static int check_task(struct check *c, const char *dir, struct err *e)
{
	__attribute__((cleanup(findings_release))) struct findings found = { 0 };
	task_lint(dir, &found);
	size_t nr_errors = count_errors(&found);
	c->has_errors = c->has_errors || nr_errors;
	json_t *answer = json_pack("{ss so}", "task", dir, "findings", findings_json(&found));
	json_array_append_new(c->answers, answer);
	for (size_t i = 0; i < found.nr && !c->options->is_json; i++)
		print_finding(&found.items[i]);
	if (!nr_errors && !c->options->is_static)
		return check_judge(c, dir, answer, e);
	if (!c->options->is_json && nr_errors)
		printf("%s: %zu error%s, %zu warning%s\n", dir, nr_errors,
		       nr_errors == 1 ? "" : "s", found.nr - nr_errors,
		       found.nr - nr_errors == 1 ? "" : "s");
	else if (!c->options->is_json)
		printf("%s: ok: lint only, nothing was run\n", dir);
	return 0;
}

int cmd_check(const struct cmd_call *call, struct err *e)
{
	int code = 0;
	struct check_options o = { 0 };
	const struct opt rows[] = {
		{ 0, "no-run", OPT_FLAG, NULL, "lint the files only, build nothing", &o.is_static },
		{ 0, "json", OPT_FLAG, NULL, "one JSON array, an object a task", &o.is_json },
	};
	AUTO_STRV struct strv rest = { 0 };
	if (!cmd_parse(call, OPT_TABLE(rows), &rest, &code, e))
		return code;
	AUTO_JSON json_t *answers = json_array();
	struct check c = { .options = &o, .answers = answers };
	for (size_t i = 0; i < rest.nr; i++)
		if (check_task(&c, rest.items[i], e) < 0)
			return -1;
	if (o.is_json)
		hand_print_json(answers);
	return c.has_errors ? 1 : 0;
}
