#include "cmd/cmd.h"

/* One kernel file before the judge, by hand: exit 0 when it is correct, 1 when it is not. */

#include <stdio.h>

#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"
#include "cmd/hand.h"
#include "cmd/term.h"

static json_t *answer_json(const struct result *r)
{
	json_t *obj = json_object();
	json_object_set_new(obj, "version", json_integer(1));
	json_object_set_new(obj, "verdict", verdict_to_json(&r->verdict));
	json_object_set_new(obj, "passed", json_integer((json_int_t)hand_count_passed(r)));
	json_object_set_new(obj, "cases", hand_cases_json(r));
	return obj;
}

static void print_answer(const char *kernel, const struct result *r)
{
	char line[600];
	verdict_print(&r->verdict, line, sizeof(line));
	hand_print_cases(r, false);
	term_print("%s: %s\n", kernel, line);
	if (r->nr_cases && r->verdict.state != VERDICT_PASS)
		term_print("%s: %zu of %zu cases passed\n", kernel, hand_count_passed(r),
			   r->nr_cases);
}

static int judge_file(const char *task, const char *kernel, struct engine_answer *answer,
		      struct err *e)
{
	const struct engine_hand hand = {
		.task_dir = task,
		.candidate = kernel,
		.kind = JOB_JUDGE,
		.held_out = true,
	};
	if (hand_need_file(kernel, e) < 0)
		return -1;
	if (hand_run(&hand, answer, e) < 0)
		return -1;
	if (answer->result.error)
		return err_set(e, ERR_CHILD, "judge %s: %s", kernel, answer->result.error);
	return 0;
}

int cmd_judge(const struct cmd_call *call, struct err *e)
{
	int code = 0;
	bool is_json = false;
	const struct opt rows[] = {
		{ 0, "json", OPT_FLAG, NULL, "one JSON object", &is_json },
	};
	AUTO_STRV struct strv rest = { 0 };
	if (!cmd_parse(call, OPT_TABLE(rows), &rest, &code, e))
		return code;
	AUTO_ENGINE_ANSWER struct engine_answer answer = { 0 };
	if (judge_file(rest.items[0], rest.items[1], &answer, e) < 0)
		return -1;
	AUTO_JSON json_t *json = answer_json(&answer.result);
	if (is_json)
		hand_print_json(json);
	else
		print_answer(rest.items[1], &answer.result);
	return answer.result.verdict.state == VERDICT_PASS ? 0 : 1;
}
