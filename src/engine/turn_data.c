#include "engine/turn_data.h"

#include <math.h>

#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "engine/budget.h"
#include "engine/course.h"
#include "engine/engine_in.h"
#include "engine/jobs.h"
#include "model/result.h"

enum { MAX_SOURCE_BYTES = 4 << 20 };

/* An agent that measures for itself gets a tenth of the budget, of what is left a quarter; 55 s are
 * 40 to 80 variants. With less than a handful of them it would learn nothing. A small step is what
 * is left when the large ones were taken: it is longer sought, up to three times as long. */
#define LAB_MAX_S 55.0
#define LARGE_STEP 1.2
#define SMALL_STEP_TIMES 3.0
#define LAB_MIN_S 5.0
#define LAB_SHARE 0.1
#define LAB_SHARE_OF_REST 0.25

static json_t *texts(const char *const *items, size_t nr)
{
	json_t *list = json_array();
	for (size_t i = 0; i < nr; i++)
		json_array_append_new(list, json_string(items[i]));
	return list;
}

static json_t *arg_data(const struct arg *arg)
{
	json_t *obj = json_pack("{s:s, s:s, s:s}", "name", arg->name, "role",
				arg_role_name(arg->role), "dtype", dtype_name(arg->dtype));
	if (arg->role == ARG_SCALAR)
		json_object_set_new(obj, "value",
				    arg->value ? json_string(arg->value) : json_null());
	else
		json_object_set_new(obj, "shape", texts(arg->shape, arg->nr_shape));
	return obj;
}

/* Of the groups that are timed, as drawing rules: which data is judged is the seed's secret, and
 * what other groups hold is the judge's. */
static json_t *timed_inputs(const struct shape *shape)
{
	json_t *all = json_array();
	for (size_t i = 0; i < shape->nr_groups; i++)
		if (shape->groups[i].is_timed)
			json_array_append_new(all, json_deep_copy(shape->groups[i].inputs));
	return all;
}

static json_t *shape_data(const struct shape *shape)
{
	json_t *dims = json_object();
	for (size_t i = 0; i < shape->dims.nr; i++)
		json_object_set_new(dims, shape->dims.items[i].name,
				    json_integer(shape->dims.items[i].value));
	json_t *more = timed_inputs(shape);
	json_t *first = json_array_size(more) ? json_incref(json_array_get(more, 0)) : json_null();
	json_array_remove(more, 0);
	return json_pack("{s:s, s:o, s:o, s:o}", "name", shape->name, "dims", dims, "inputs", first,
			 "more_inputs", more);
}

static json_t *task_data(const struct task *t)
{
	AUTO_STR struct str prototype = STR_INIT;
	json_t *args = json_array();
	json_t *shapes = json_array();
	task_prototype(t, &prototype);
	for (size_t i = 0; i < t->nr_args; i++)
		json_array_append_new(args, arg_data(&t->args[i]));
	for (size_t i = 0; i < t->shapes.nr; i++)
		if (!t->shapes.items[i].held_out)
			json_array_append_new(shapes, shape_data(&t->shapes.items[i]));
	return json_pack("{s:s, s:s, s:s, s:s, s:i, s:o, s:o, s:s?, s:s?, s:o}", "name", t->name,
			 "language", t->language, "entry", t->entry, "prototype", prototype.text,
			 "threads", (int)t->threads, "args", args, "shapes", shapes, "flops",
			 t->flops, "bytes", t->bytes, "deny", texts(t->deny, t->nr_deny));
}

json_t *turn_data_whole(const struct engine *g, const json_t *data)
{
	json_t *whole = json_deep_copy(data);
	json_t *machine = json_deep_copy(g->state.machine_doc);
	json_object_set_new(whole, "task", task_data(&g->task));
	json_object_set_new(whole, "machine", machine ? machine : json_object());
	return whole;
}

static int add_file(json_t *obj, const char *key, const char *path, struct err *e)
{
	AUTO_STR struct str text = STR_INIT;
	if (file_read(path, MAX_SOURCE_BYTES, &text, e) < 0)
		return -1;
	json_t *value = json_stringn(text.text, text.len);
	if (!value)
		return err_set(e, ERR_INPUT, "%s: not UTF-8", path);
	json_object_set_new(obj, key, value);
	return 0;
}

static double lab_most_s(const struct task *t)
{
	double times = (LARGE_STEP - 1) / fmax(t->ratio - 1, (LARGE_STEP - 1) / SMALL_STEP_TIMES);
	return LAB_MAX_S * fmax(times, 1);
}

static double lab_seconds(const struct engine *g)
{
	double share =
		fmin(LAB_SHARE * g->state.hours * 3600, LAB_SHARE_OF_REST * budget_left_s(g));
	return share < LAB_MIN_S ? 0 : round(fmin(share, lab_most_s(&g->task)));
}

json_t *turn_data_teacher(const struct engine *g, bool with_reference, struct err *e)
{
	AUTO_JSON json_t *obj = json_pack("{s:n, s:[], s:n, s:f}", "reference", "errors",
					  "previous", "lab_seconds", lab_seconds(g));
	AUTO_FREE char *task = engine_path(g, RUNDIR_TASK);
	AUTO_FREE char *description = path_join(task, "description.md");
	AUTO_FREE char *reference = engine_path(g, RUNDIR_REFERENCE_SOURCE);
	if (add_file(obj, "description", description, e) < 0)
		return NULL;
	if (with_reference && add_file(obj, "reference", reference, e) < 0)
		return NULL;
	return json_incref(obj);
}

static json_t *mechanism_data(const struct mechanism *m)
{
	if (!m->metric)
		return json_pack("{s:s?}", "none", m->none_reason);
	json_t *obj = json_pack("{s:s, s:s?, s:f}", "metric", m->metric, "direction", m->direction,
				"at_least", m->at_least);
	if (m->by_pct > 0)
		json_object_set_new(obj, "by_pct", json_real(m->by_pct));
	if (m->has_to)
		json_object_set_new(obj, "to", json_real(m->to));
	return obj;
}

json_t *turn_data_row(const struct milestone *m, const struct decision *d)
{
	json_t *row = json_pack("{s:s, s:s, s:s, s:s?, s:s?, s:s?, s:s?, s:o, s:o}", "id", d->id,
				"milestone", m->id, "what", d->what, "value", d->value, "range",
				d->range, "why", d->why, "wrong_when", d->wrong_when, "mechanism",
				mechanism_data(&d->mechanism), "lessons",
				texts(d->lessons, d->nr_lessons));
	if (row && d->predicts > 0)
		json_object_set_new(row, "predicts", json_real(d->predicts));
	return row;
}

json_t *turn_data_source(const char *path)
{
	AUTO_STR struct str text = STR_INIT;
	struct err ignored = { 0 };
	if (!path || file_read(path, MAX_SOURCE_BYTES, &text, &ignored) < 0)
		return json_null();
	json_t *value = json_stringn(text.text, text.len);
	return value ? value : json_null();
}

json_t *turn_data_description(const struct engine *g)
{
	AUTO_FREE char *task = engine_path(g, RUNDIR_TASK);
	AUTO_FREE char *path = path_join(task, "description.md");
	return turn_data_source(path);
}

json_t *turn_data_accepted(const struct engine *g, size_t nr_rounds, const char *but)
{
	json_t *list = json_array();
	for (size_t i = 0; i < nr_rounds; i++) {
		const struct state_round *r = &g->state.rounds[i];
		const struct decision *d = curriculum_find(&g->course, r->decision);
		const struct state_decision *st = course_state(&g->state, r->decision);
		if (!d || !st || str_equal(d->id, but) || st->round != r->number ||
		    !course_is_accepted(&g->state, &g->course, d))
			continue;
		json_array_append_new(list,
				      json_pack("{s:s, s:s, s:s}", "id", d->id, "what", d->what,
						"value", r->chosen ? r->chosen : r->value));
	}
	return list;
}

json_t *turn_data_speedup(const struct state_estimate *est)
{
	if (!est->call)
		return json_null();
	return json_pack("{s:s, s:o, s:o, s:o, s:i}", "call", est->call, "ratio",
			 json_number(est->speedup), "low", json_number(est->low), "high",
			 json_number(est->high), "replicates", (int)est->replicates);
}

static json_t *speedup_data(const struct state_round *r)
{
	return turn_data_speedup(state_round_estimate(r));
}

static json_t *best_data(const struct run_state *s)
{
	const struct state_best *best = run_state_best(s);
	if (!best)
		return json_null();
	return json_pack("{s:i, s:s, s:o}", "round", (int)best->round, "decision", best->decision,
			 "ratio", json_number(best->estimate.speedup));
}

/* Metrics that the round's job measured; an empty object when there was none. */
static json_t *profile_data(const struct engine *g, const struct state_round *r)
{
	AUTO_RESULT struct result result = { 0 };
	struct err ignored = { 0 };
	json_t *profile = NULL;
	if (r->screen.job && job_result(g, r->screen.job, &result, &ignored) == 0)
		profile = json_deep_copy(
			json_object_get(json_object_get(result.doc, "profile"), "candidate"));
	return profile ? profile : json_object();
}

static const struct state_round *newest_closed(const struct run_state *s)
{
	for (size_t i = s->nr_rounds; i > 0; i--)
		if (s->rounds[i - 1].outcome != ROUND_OPEN)
			return &s->rounds[i - 1];
	return NULL;
}

json_t *turn_data_feedback(const struct engine *g)
{
	const struct state_round *r = newest_closed(&g->state);
	if (!r)
		return json_null();
	json_t *verdict =
		r->verdict.state == VERDICT_NONE ? json_null() : verdict_to_json(&r->verdict);
	return json_pack("{s:i, s:s, s:s, s:o, s:o, s:o, s:o, s:s}", "round", (int)r->number,
			 "decision", r->decision, "outcome", round_outcome_name(r->outcome),
			 "verdict", verdict, "speedup", speedup_data(r), "profile",
			 profile_data(g, r), "best", best_data(&g->state), "text",
			 r->absent_text ? r->absent_text : "");
}

json_t *turn_data_times(const struct engine *g)
{
	const struct state_estimate *self = &g->state.reference.self;
	json_t *list = json_array();
	for (size_t i = 0; i < self->nr_shapes; i++)
		json_array_append_new(list,
				      json_pack("{s:s, s:o}", "shape", self->shapes[i].name, "ns",
						json_number(self->shapes[i].reference_ns)));
	return list;
}
