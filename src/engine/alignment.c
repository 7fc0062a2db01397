#include "engine/alignment.h"

/* The author may not learn held-out shapes from what it is told, and no more of the reference than
 * that it differs: sentences are made here from the result's members, not taken from the worker,
 * whose own sentence is for people and names the first case of all. */

#include <string.h>

#include "base/json.h"
#include "base/str.h"
#include "base/untrusted.h"
#include "engine/jobs.h"
#include "model/result.h"
#include "model/task.h"

enum { MAX_CASES_TOLD = 5, MAX_NAME_BYTES = 80 };

static bool is_held_out(const struct task *t, const char *shape)
{
	for (size_t i = 0; i < t->shapes.nr; i++)
		if (str_equal(t->shapes.items[i].name, shape))
			return t->shapes.items[i].held_out;
	return true;
}

static void add_member(struct str *out, const char *before, const json_t *m, const char *key)
{
	const char *text = json_text_or(m, key, "");
	if (!*text)
		return;
	str_add(out, before);
	untrusted_line(out, text, MAX_NAME_BYTES);
}

/* An error that is no number is told as it is written: "inf". */
static void add_error(struct str *out, const json_t *m)
{
	const json_t *error = json_object_get(m, "error");
	if (json_is_number(error))
		str_addf(out, ", normalised error %.3g", json_number_value(error));
	else if (json_is_string(error))
		str_addf(out, ", normalised error %s", json_string_value(error));
}

static void add_case(struct str *out, const json_t *m)
{
	add_member(out, "- shape ", m, "shape");
	add_member(out, ", group ", m, "group");
	add_member(out, ", output ", m, "output");
	add_member(out, " at ", m, "index");
	add_member(out, ": ", m, "kind");
	add_error(out, m);
	str_add_char(out, '\n');
}

void alignment_add_cases(const struct task *t, const struct result *result, struct str *out)
{
	const json_t *list =
		json_object_get(json_object_get(result->doc, "calibration"), "mismatches");
	size_t nr_visible = 0;
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *m = json_array_get(list, i);
		if (is_held_out(t, json_text_or(m, "shape", "")))
			continue;
		if (nr_visible++ < MAX_CASES_TOLD)
			add_case(out, m);
	}
	if (nr_visible > MAX_CASES_TOLD)
		str_addf(out, "- and %zu more\n", nr_visible - MAX_CASES_TOLD);
	if (!nr_visible)
		str_add(out, "- no visible case is off; what is off has a shape that is not "
			     "shown\n");
}

void alignment_add_reason(const struct task *t, const char *why, const char *otherwise,
			  struct str *out)
{
	for (size_t i = 0; i < t->shapes.nr; i++) {
		if (t->shapes.items[i].held_out && strstr(why, t->shapes.items[i].name)) {
			str_add(out, otherwise);
			return;
		}
	}
	str_add(out, why);
}

void alignment_tell_judge(const struct task *t, const struct result *result, struct str *out)
{
	const json_t *calibration = json_object_get(result->doc, "calibration");
	const char *fault = job_judge_fault(result);
	if (str_equal(fault, "build")) {
		str_add(out, result->error);
	} else if (fault) {
		alignment_add_reason(t, result->error,
				     "the judge fails on a shape that is not shown", out);
	} else if (str_equal(json_text_or(calibration, "step", ""), "self_test")) {
		alignment_add_reason(t, result->error,
				     "with this judge a known wrong answer passes on a shape that "
				     "is not shown",
				     out);
	} else {
		str_add(out, "the judge and the implementation do not compute the same:\n");
		alignment_add_cases(t, result, out);
	}
}
