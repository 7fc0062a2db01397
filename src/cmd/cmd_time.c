#include "cmd/cmd.h"

/* Paired timing of two kernel files by hand: A takes the place of the reference. Both are judged
 * first; a wrong kernel has no speed. Exit 0 whenever there is an answer, also "slower". */

#include <stdio.h>

#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/table.h"
#include "cmd/hand.h"
#include "cmd/term.h"
#include "report/status.h"
#include "report/text.h"

static json_t *shape_json(const struct state_shape *shape)
{
	json_t *obj = json_object();
	json_object_set_new(obj, "shape", json_string(shape->name));
	json_object_set_new(obj, "held_out", json_boolean(shape->held_out));
	json_object_set_new(obj, "call", json_string(shape->call ? shape->call : ""));
	json_object_set_new(obj, "speedup", json_number(shape->speedup));
	json_object_set_new(obj, "low", json_number(shape->low));
	json_object_set_new(obj, "high", json_number(shape->high));
	json_object_set_new(obj, "a_ns", json_number(shape->reference_ns));
	json_object_set_new(obj, "b_ns", json_number(shape->candidate_ns));
	return obj;
}

static json_t *answer_json(const struct engine_answer *answer)
{
	json_t *obj = json_object();
	json_t *shapes = json_array();
	for (size_t i = 0; i < answer->estimate.nr_shapes; i++)
		json_array_append_new(shapes, shape_json(&answer->estimate.shapes[i]));
	json_object_set_new(obj, "version", json_integer(1));
	json_object_set_new(obj, "verdict", verdict_to_json(&answer->result.verdict));
	json_object_set_new(obj, "estimate", estimate_json(&answer->estimate));
	json_object_set_new(obj, "shapes", shapes);
	return obj;
}

static void add_shape(struct table *t, const struct state_shape *shape)
{
	AUTO_STR struct str a = STR_INIT;
	AUTO_STR struct str b = STR_INIT;
	text_time(shape->reference_ns, &a);
	text_time(shape->candidate_ns, &b);
	table_add(t, shape->name);
	table_add(t, a.text);
	table_add(t, b.text);
	table_addf(t, "%.3f× [%.3f, %.3f]", shape->speedup, shape->low, shape->high);
	table_add(t, shape->call ? shape->call : "-");
}

static void print_shapes(const struct state_estimate *estimate)
{
	AUTO_TABLE struct table t = { 0 };
	AUTO_STR struct str out = STR_INIT;
	table_init(&t, "lrrll");
	table_line(&t, "shape\tA\tB\tA / B\tB is");
	for (size_t i = 0; i < estimate->nr_shapes; i++)
		add_shape(&t, &estimate->shapes[i]);
	table_print(&t, "  ", &out);
	term_put(out.text);
}

static void print_answer(const struct engine_answer *answer)
{
	const struct state_estimate *estimate = &answer->estimate;
	AUTO_STR struct str speedup = STR_INIT;
	text_speedup(estimate, &speedup);
	print_shapes(estimate);
	AUTO_STR struct str remarks = STR_INIT;
	if (estimate->is_contended)
		str_add(&remarks, "; the machine was busy");
	if (estimate->is_reference_slowed)
		str_addf(&remarks, "; A ran %.1f %% slower beside B than alone",
			 100 * estimate->slowdown);
	term_print("B is %s: A / B = %s, geometric mean over shapes (K=%u, noise floor %.2f %%, "
		   "confidence %.4f%s)\n",
		   text_call(estimate), speedup.text, estimate->replicates, 100 * estimate->floor,
		   estimate->confidence, remarks.text);
}

struct time_options {
	bool is_json;
	bool held_out;
	int64_t k;
};

static int time_files(const struct strv *rest, const struct time_options *o,
		      struct engine_answer *answer, struct err *e)
{
	const struct engine_hand hand = {
		.task_dir = rest->items[0],
		.reference = rest->items[1],
		.candidate = rest->items[2],
		.kind = JOB_TIME,
		.replicates = (unsigned)o->k,
		.held_out = o->held_out,
	};
	if (hand_need_file(hand.reference, e) < 0 || hand_need_file(hand.candidate, e) < 0)
		return -1;
	if (hand_run(&hand, answer, e) < 0)
		return -1;
	if (answer->result.error)
		return err_set(e, ERR_CHILD, "time: %s", answer->result.error);
	return 0;
}

static int answer_for(const struct engine_answer *answer, const char *kernel, bool is_json)
{
	AUTO_JSON json_t *json = answer_json(answer);
	bool has_answer = answer->estimate.call != NULL;
	char line[600];
	if (is_json)
		hand_print_json(json);
	else if (has_answer)
		print_answer(answer);
	if (!is_json && !has_answer) {
		verdict_print(&answer->result.verdict, line, sizeof(line));
		hand_print_cases(&answer->result, true);
		term_print("%s: %s: a wrong kernel has no speed\n", kernel, line);
	}
	return has_answer ? 0 : 1;
}

int cmd_time(const struct cmd_call *call, struct err *e)
{
	int code = 0;
	struct time_options o = { .k = 8 };
	const struct opt rows[] = {
		{ 'k', NULL, OPT_COUNT, "2|8|16", "replicates: screen, decide, confirm; 8", &o.k },
		{ 0, "held-out", OPT_FLAG, NULL, "time the held-out shapes too", &o.held_out },
		{ 0, "json", OPT_FLAG, NULL, "one JSON object", &o.is_json },
	};
	AUTO_STRV struct strv rest = { 0 };
	if (!cmd_parse(call, OPT_TABLE(rows), &rest, &code, e))
		return code;
	if (o.k != 2 && o.k != 8 && o.k != 16)
		return err_set(e, ERR_USAGE, "time: -k is 2, 8 or 16, not %lld", (long long)o.k);
	AUTO_ENGINE_ANSWER struct engine_answer answer = { 0 };
	if (time_files(&rest, &o, &answer, e) < 0)
		return -1;
	return answer_for(&answer, rest.items[2], o.is_json);
}
