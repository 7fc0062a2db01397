#include "cmd/check_judge.h"

/* The answer is read from the bundle of the job: what the calibration says, and the tolerances it
 * wrote. A judge that is wrong is the task's trouble, so it is a finding and not our error. */

#include <stdio.h>

#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/table.h"
#include "cmd/hand.h"
#include "cmd/term.h"
#include "judge/tolerance.h"
#include "model/task.h"
#include "report/text.h"

struct trial {
	const char *dir;
	char *work; /* temporary folder of the job */
	bool is_json;
	json_t *answer;
	struct engine_answer done;
};

static int run_job(struct trial *t, struct err *e)
{
	const struct engine_hand hand = {
		.task_dir = t->dir,
		.kind = JOB_CALIBRATE,
		.held_out = true,
		.work_dir = t->work,
	};
	return hand_run(&hand, &t->done, e);
}

static void print_times(const json_t *times)
{
	const char *shape;
	json_t *ns;
	AUTO_TABLE struct table t = { 0 };
	AUTO_STR struct str out = STR_INIT;
	table_init(&t, "lr");
	table_line(&t, "shape\treference, one call, warm");
	json_object_foreach((json_t *)(uintptr_t)times, shape, ns)
	{
		AUTO_STR struct str time = STR_INIT;
		text_time(json_number_value(ns), &time);
		table_add(&t, shape);
		table_add(&t, time.text);
	}
	table_print(&t, "  ", &out);
	str_add(&out, "  (the quickest of a few on the first group; a run times operands that are "
		      "cold, which takes longer)\n");
	term_put(out.text);
}

static void print_tolerances(const struct tolerances *all)
{
	AUTO_TABLE struct table t = { 0 };
	AUTO_STR struct str out = STR_INIT;
	table_init(&t, "llrr");
	table_line(&t, "group\toutput\treference error\ttolerance");
	for (size_t i = 0; i < all->nr; i++) {
		table_add(&t, all->rows[i].group);
		table_add(&t, all->rows[i].output);
		table_addf(&t, "%.2e", all->rows[i].reference.slice);
		if (all->rows[i].tol.is_origin)
			table_addf(&t, "the origin's: rtol %g, atol %g", all->rows[i].tol.relative,
				   all->rows[i].tol.absolute);
		else
			table_addf(&t, "%.2e", all->rows[i].tol.slice);
	}
	table_print(&t, "  ", &out);
	term_put(out.text);
}

static int show_tolerances(struct trial *t, struct err *e)
{
	AUTO_TOLERANCES struct tolerances all = { 0 };
	AUTO_FREE char *path = path_join(t->work, "calibrate/check/tolerances.json");
	AUTO_JSON json_t *json = json_read_file(path, e);
	if (!json || tolerances_from_json(&all, json, path, e) < 0)
		return -1;
	json_object_set(t->answer, "tolerances", json);
	if (!t->is_json)
		print_tolerances(&all);
	return 0;
}

static int show_good(struct trial *t, const json_t *calibration, struct err *e)
{
	const json_t *times = json_object_get(calibration, "reference_ns");
	if (!t->is_json)
		print_times(times);
	if (show_tolerances(t, e) < 0)
		return -1;
	if (!t->is_json)
		term_print(
			"%s: ok: judge and reference agree on %lld cases; %lld wrong outputs were "
			"refused\n",
			t->dir, (long long)json_int_or(calibration, "cases", 0),
			(long long)json_int_or(calibration, "cheats_judged", 0));
	return 0;
}

static void print_mismatch(const struct trial *t, const json_t *m)
{
	term_print("%s: error: %s/%s: output %s differs from the judge's at %s, normalised error "
		   "%.2g\n",
		   t->dir, json_text_or(m, "shape", "?"), json_text_or(m, "group", "?"),
		   json_text_or(m, "output", "?"), json_text_or(m, "index", "?"),
		   json_real_or(m, "error", 0));
}

static void show_bad(struct trial *t, const json_t *calibration, const char *why)
{
	const json_t *mismatches = json_object_get(calibration, "mismatches");
	json_object_set_new(t->answer, "judge", json_string(why));
	for (size_t i = 0; i < json_array_size(mismatches) && !t->is_json; i++)
		print_mismatch(t, json_array_get(mismatches, i));
	if (!t->is_json)
		term_print("%s: error: %s\n", t->dir, why);
}

static int try_judge(struct trial *t, bool *is_good, struct err *e)
{
	struct err why = { 0 };
	int rc = run_job(t, &why);
	const json_t *calibration = json_object_get(t->done.result.doc, "calibration");
	*is_good = rc == 0 && json_bool_or(calibration, "ok", false);
	if (!t->done.result.doc) {
		*e = why;
		return err_wrap(e, "check %s", t->dir);
	}
	json_object_set_new(t->answer, "calibration", json_deep_copy(calibration));
	if (*is_good)
		return show_good(t, calibration, e);
	show_bad(t, calibration, why.text);
	return 0;
}

/* Of the two that are held against each other; NULL: both are there. */
static int find_missing(const char *dir, const char **missing, struct err *e)
{
	AUTO_TASK struct task task = { 0 };
	if (task_load(&task, dir, e) < 0)
		return -1;
	*missing = NULL;
	if (task_is_generated(&task))
		*missing = "no reference of its own; a run asks the student for one";
	if (!task.judge && !task_expects_reference(&task))
		*missing = "no judge of its own; a run asks the teacher for one";
	return 0;
}

int check_judge(const char *dir, bool is_json, json_t *answer, bool *is_good, struct err *e)
{
	const char *missing = NULL;
	if (find_missing(dir, &missing, e) < 0)
		return -1;
	if (missing) {
		if (!is_json)
			term_print("%s: ok: %s\n", dir, missing);
		return 0;
	}
	AUTO_TEMP_DIR char *work = hand_temp_dir("check", e);
	if (!work)
		return -1;
	struct trial t = { .dir = dir, .work = work, .is_json = is_json, .answer = answer };
	int rc = try_judge(&t, is_good, e);
	engine_answer_release(&t.done);
	return rc;
}
