#include "engine/engine_in.h"

/* Stage 2. Take the task's judge or have one written, hold it against the reference on every case,
 * measure the tolerances, freeze. A written judge that disagrees goes back to its author with the
 * numbers, one that does not build or crashes with what was said about it, at most three times; a
 * shipped one has no author here, so it ends the run. */

#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "engine/alignment.h"
#include "engine/frozen.h"
#include "engine/generate.h"
#include "engine/jobs.h"
#include "engine/start.h"
#include "engine/turn_data.h"
#include "engine/turns.h"
#include "model/result.h"

enum { MAX_ALIGNMENT_FAILURES = 3, MAX_MISMATCHES_TOLD = 5 };

static int promote(struct engine *g, const char *author, bool is_independent, struct err *e)
{
	AUTO_FREE char *path = engine_path(g, RUNDIR_JUDGE);
	struct digest digest;
	if (digest_file(path, &digest, e) < 0)
		return -1;
	if (str_equal(g->state.judge.source, digest.hex))
		return 0;
	return engine_event(g, EVENT_judge_promoted, e, "{s:s, s:b, s:s}", "author", author,
			    "independent", is_independent, "source", digest.hex);
}

static int take_shipped(struct engine *g, struct err *e)
{
	AUTO_FREE char *task = engine_path(g, RUNDIR_TASK);
	AUTO_FREE char *from = path_join(task, g->task.judge);
	AUTO_FREE char *to = engine_path(g, RUNDIR_JUDGE);
	if (file_copy(from, to, e) < 0)
		return -1;
	return promote(g, "task", true, e);
}

/* On a leaderboard without a judge/ the reference itself answers: there is no source to freeze. */
static int take_origin(struct engine *g, struct err *e)
{
	if (g->state.judge.source)
		return 0;
	return engine_event(g, EVENT_judge_promoted, e, "{s:s, s:b, s:s}", "author", "origin",
			    "independent", false, "source", "");
}

/* In a task without a reference what does not agree is the kernel; only a judge that gives no
 * answer at all is the judge's own fault. */
static unsigned nr_refused_judges(const struct engine *g)
{
	const struct state_judge *j = &g->state.judge;
	return task_is_generated(&g->task) ? j->nr_faults : j->nr_misaligned;
}

/* What the author is told on its second try and later. */
static int add_reasons(const struct engine *g, json_t *data, struct err *e)
{
	AUTO_FREE char *path = engine_path(g, RUNDIR_JUDGE);
	AUTO_STR struct str source = STR_INIT;
	if (!nr_refused_judges(g))
		return 0;
	if (file_read(path, 4 << 20, &source, e) < 0)
		return -1;
	json_object_set_new(data, "previous", json_string(source.text));
	const char *told = g->state.judge.told;
	json_object_set_new(data, "errors", json_pack("[s]", told ? told : "it was refused"));
	return 0;
}

static int have_written(struct engine *g, struct err *e)
{
	bool is_granted = start_is_granted_to_judge(&g->task);
	AUTO_JSON json_t *data = turn_data_teacher(g, is_granted, e);
	if (!data || add_reasons(g, data, e) < 0)
		return -1;
	AUTO_AGENT_ANSWER struct agent_answer answer = { 0 };
	AUTO_FREE char *purpose = xasprintf("judge-%u", nr_refused_judges(g) + 1);
	AUTO_FREE char *path = engine_path(g, RUNDIR_JUDGE);
	const struct turn_spec turn = {
		.role = AGENT_TEACHER, .kind = TURN_JUDGE, .purpose = purpose, .data = data
	};
	if (turn_ask(g, &turn, &answer, e) < 0)
		return -1;
	if (answer.kind != ANSWER_JUDGE)
		return err_set(
			e, ERR_CHILD,
			"the task ships no judge and the teacher wrote none (%s: %.200s); put "
			"judge/judge.c into the task",
			answer_kind_name(answer.kind), answer.text);
	if (file_write_text(path, answer.text, e) < 0)
		return -1;
	return promote(g, "teacher", !is_granted, e);
}

/* A task that brings measured tolerances (a later generation) keeps them: the calibration has then
 * only aligned the judge and tested it, and the reference is judged by them like any candidate. */
static char *tolerances_source(const struct engine *g, const char *job_id)
{
	const struct state_job *job = run_state_job(&g->state, job_id);
	AUTO_FREE char *task = engine_path(g, RUNDIR_TASK);
	if (g->task.tolerances)
		return path_join(task, g->task.tolerances);
	return xasprintf("%s/%s/%s", g->run_dir, job->dir, rundir_name(RUNDIR_TOLERANCES));
}

static int keep_tolerances(struct engine *g, const char *job_id, int64_t nr_cases, struct err *e)
{
	AUTO_FREE char *from = tolerances_source(g, job_id);
	AUTO_FREE char *to = engine_path(g, RUNDIR_TOLERANCES);
	AUTO_STR struct str text = STR_INIT;
	if (file_read(from, 16 << 20, &text, e) < 0 || file_write(to, text.text, text.len, e) < 0)
		return -1;
	struct digest digest = digest_bytes(text.text, text.len);
	const char *source = g->task.leaderboard  ? "origin"
			     : g->task.tolerances ? "task"
						  : "reference";
	return engine_event(g, EVENT_calibrated, e, "{s:s, s:I, s:s, s:s}", "job", job_id, "cases",
			    (json_int_t)nr_cases, "tolerances", digest.hex, "from", source);
}

/* Has this judge an author in the run? */
static bool has_author(const struct task *t)
{
	return !t->judge && !task_expects_reference(t);
}

/* For people the worker's sentence and the first mismatches; for the author what it may know. */
static int record_misaligned(struct engine *g, const struct result *result, struct err *e)
{
	AUTO_STR struct str text = STR_INIT;
	AUTO_STR struct str told = STR_INIT;
	const json_t *list =
		json_object_get(json_object_get(result->doc, "calibration"), "mismatches");
	str_add(&text, result->error);
	for (size_t i = 0; i < json_array_size(list) && i < MAX_MISMATCHES_TOLD; i++) {
		AUTO_FREE char *line = json_line(json_array_get(list, i));
		str_addf(&text, "; %s", line);
	}
	alignment_tell_judge(&g->task, result, &told);
	return engine_event(g, EVENT_judge_misaligned, e, "{s:i, s:s, s:s*, s:s*}", "attempt",
			    (int)g->state.judge.nr_misaligned + 1, "text", text.text, "told",
			    has_author(&g->task) ? told.text : NULL, "fault",
			    job_judge_fault(result));
}

static int64_t nr_cases_of(const struct result *result)
{
	const json_t *calibration = json_object_get(result->doc, "calibration");
	return json_int_or(calibration, "cases", (int64_t)result->nr_cases);
}

static int record_fault(struct engine *g, const struct result *result, struct err *e)
{
	if (has_author(&g->task))
		return record_misaligned(g, result, e);
	return err_set(e, ERR_INPUT,
		       "the judge can not be used: %.300s; correct judge/judge.c in the task and "
		       "make a new run",
		       result->error);
}

/* One calibration; afterwards the state says calibrated or misaligned once more. */
static int calibrate(struct engine *g, struct err *e)
{
	AUTO_RESULT struct result result = { 0 };
	AUTO_FREE char *id = xasprintf("calibrate-%u", g->state.judge.nr_misaligned + 1);
	bool is_written = task_is_generated(&g->task);
	const struct job_spec job = { .id = id,
				      .purpose = "calibrate",
				      .kind = JOB_CALIBRATE,
				      .replicates = 1,
				      .held_out = true,
				      .may_fail = is_written,
				      .judge_may_fail = is_written || has_author(&g->task) };
	if (job_run(g, &job, &result, e) < 0)
		return is_written && job_is_failure(g, id, e) ? generate_refuse(g, NULL, e) : -1;
	if (job_judge_fault(&result))
		return record_fault(g, &result, e);
	if (job_is_misaligned(&result))
		return is_written ? generate_refuse(g, &result, e)
				  : record_misaligned(g, &result, e);
	return keep_tolerances(g, id, nr_cases_of(&result), e);
}

static int give_up(const struct engine *g, struct err *e)
{
	const struct state_judge *j = &g->state.judge;
	bool is_shipped = g->task.judge != NULL;
	if (task_is_generated(&g->task) && !j->fault)
		return err_set(
			e, ERR_CHILD,
			"no kernel to begin with: %u attempts were refused, the last: %.300s",
			j->nr_misaligned - j->nr_faults, j->misaligned_text);
	if (g->task.leaderboard)
		return err_set(
			e, ERR_INPUT,
			"the origin's rule can not judge this task: %.300s; nothing of it is "
			"changed here: correct what the task states of the origin, or leave "
			"the case out",
			j->misaligned_text);
	return err_set(e, ERR_INPUT, "%s: %.300s; %s",
		       j->fault ? "the judge can not be used"
				: "the judge and the reference disagree",
		       j->misaligned_text,
		       is_shipped ? "correct judge/judge.c or the reference in the task and make a "
				    "new run"
				  : "three attempts failed; put judge/judge.c into the task");
}

/* The judge of a generated kernel stands once it gives answers: what does not agree is the kernel.
 */
static int take_judge(struct engine *g, struct err *e)
{
	if (task_expects_reference(&g->task))
		return take_origin(g, e);
	if (g->task.judge)
		return take_shipped(g, e);
	if (task_is_generated(&g->task) && g->state.judge.source && !g->state.judge.fault)
		return 0;
	return have_written(g, e);
}

/* Judges and kernels have their tries each. */
static bool is_hopeless(const struct engine *g)
{
	const struct state_judge *j = &g->state.judge;
	bool is_final = (g->task.judge && !task_is_generated(&g->task)) || g->task.leaderboard;
	unsigned limit = is_final ? 1 : MAX_ALIGNMENT_FAILURES;
	unsigned nr_judges = nr_refused_judges(g);
	return nr_judges >= limit || j->nr_misaligned - nr_judges >= limit;
}

static int align(struct engine *g, struct err *e)
{
	while (!g->state.judge.is_calibrated) {
		if (is_hopeless(g))
			return give_up(g, e);
		if (take_judge(g, e) < 0 || generate_reference(g, e) < 0 || calibrate(g, e) < 0)
			return -1;
	}
	return 0;
}

/* A forge that was killed may have left a part of a file there; it must not be frozen with it. */
static int drop_strays(struct engine *g, struct err *e)
{
	AUTO_FREE char *check = engine_path(g, RUNDIR_CHECK);
	AUTO_STRV struct strv names = { 0 };
	if (dir_list(check, &names, e) < 0)
		return -1;
	for (size_t i = 0; i < names.nr; i++) {
		AUTO_FREE char *path = path_join(check, names.items[i]);
		if (!str_equal(names.items[i], path_base(rundir_name(RUNDIR_JUDGE))) &&
		    !str_equal(names.items[i], path_base(rundir_name(RUNDIR_TOLERANCES))) &&
		    tree_remove(path, e) < 0)
			return -1;
	}
	return 0;
}

static int freeze(struct engine *g, struct err *e)
{
	struct frozen f = { 0 };
	if (g->state.judge.is_frozen)
		return 0;
	if (drop_strays(g, e) < 0 || frozen_read(g->run_dir, &f, e) < 0)
		return -1;
	return engine_event(g, EVENT_judge_frozen, e, "{s:s, s:s, s:s}", "task", f.task.hex,
			    "check", f.check.hex, "reference", f.reference.hex);
}

int stage_judge(struct engine *g, struct err *e)
{
	if (align(g, e) < 0 || freeze(g, e) < 0)
		return -1;
	if (g->state.judge.is_independent)
		return 0;
	if (g->task.leaderboard)
		return engine_warn_once(g, e,
					"the origin judges by its own reference, and so does this "
					"run: an error of the reference is not found");
	return engine_warn_once(g, e,
				"the judge was made from the reference and is not "
				"independent of it: an error of the reference is not found");
}
