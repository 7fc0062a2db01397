#include "worker/monitor.h"

/*
 * A stress is the first group of the task with the generator of one input replaced: the first float
 * tensor, or for integers the first one drawn from a range. It is held against the oracle with the
 * tolerance of that group. New seeds replace nothing and run on every shape.
 */

#include <string.h>

#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/str.h"
#include "worker/cases.h"
#include "worker/oracle.h"
#include "worker/progress.h"
#include "worker/show.h"

struct stress {
	const char *what;
	const char *generator; /* for the first float input */
};

static const struct stress stresses[] = {
	{ "scaled_up", "{\"kind\":\"normal\",\"std\":1024}" },
	{ "scaled_down", "{\"kind\":\"normal\",\"std\":0.0009765625}" },
	{ "spikes", "{\"kind\":\"spikes\",\"std\":1,\"rate\":0.01,\"magnitude\":10000}" },
	{ "zero_blocks", "{\"kind\":\"zero_blocks\",\"std\":1,\"block\":64,\"rate\":0.5}" },
	{ "identical_rows", "{\"kind\":\"identical_rows\",\"std\":1}" },
	{ "nonfinite", "{\"kind\":\"specials\",\"std\":1,\"rate\":0.001}" },
};

/* One shape with its own groups or with made-up ones; `labels` says what each of these is. */
struct ordeal {
	struct shape shape;
	bool is_made_up;
	struct group groups[ARRAY_LEN(stresses) + 1];
	const char *labels[ARRAY_LEN(stresses) + 1];
	json_t *inputs[ARRAY_LEN(stresses) + 1]; /* owned */
	uint64_t seed;
};

static const struct arg *first_input(const struct task *t, bool is_float)
{
	for (size_t i = 0; i < t->nr_args; i++)
		if (arg_is_input(&t->args[i]) && t->args[i].role != ARG_SCALAR &&
		    dtype_is_float(t->args[i].dtype) == is_float)
			return &t->args[i];
	return NULL;
}

static void add_stress(struct ordeal *o, const struct group *base, const char *label,
		       const char *arg, json_t *generator)
{
	size_t at = o->shape.nr_groups++;
	o->inputs[at] = json_copy((json_t *)(uintptr_t)base->inputs);
	json_object_set_new(o->inputs[at], arg, generator);
	o->labels[at] = label;
	/* The name finds the tolerance. */
	o->groups[at] = (struct group){ .name = base->name, .inputs = o->inputs[at] };
}

/* The two ends of the range that an integer input is drawn from. */
static json_t *bounds_of(const struct group *base, const char *arg)
{
	const json_t *generator = json_object_get(base->inputs, arg);
	json_t *low = json_object_get(generator, "low");
	json_t *high = json_object_get(generator, "high");
	if (!str_equal(json_text_or(generator, "kind", ""), "integers") || !low || !high)
		return NULL;
	return json_pack("{s:s,s:[O,O]}", "kind", "choice", "values", low, high);
}

static void make_stresses(struct ordeal *o, const struct worker *w, const struct group *base)
{
	const struct arg *real = first_input(&w->task, true);
	for (size_t i = 0; real && i < ARRAY_LEN(stresses); i++) {
		json_t *generator = json_loads(stresses[i].generator, 0, NULL);
		add_stress(o, base, stresses[i].what, real->name, generator);
	}
	const struct arg *whole = first_input(&w->task, false);
	json_t *bounds = whole ? bounds_of(base, whole->name) : NULL;
	if (bounds)
		add_stress(o, base, "integer_bounds", whole->name, bounds);
}

/* The row of one case, still without what was found. */
static json_t *add_row(struct worker *w, const struct ordeal *o, size_t at)
{
	json_t *list = json_object_get(w->result.doc, "monitor");
	if (!list) {
		list = json_array();
		json_object_set_new(w->result.doc, "monitor", list);
	}
	json_t *obj = json_object();
	json_object_set_new(obj, "what", json_string(o->is_made_up ? o->labels[at] : "new_seed"));
	json_object_set_new(obj, "shape", json_string(o->shape.name));
	json_object_set_new(obj, "group", json_string(o->shape.groups[at].name));
	json_array_append_new(list, obj);
	return obj;
}

static void record(struct worker *w, const struct ordeal *o, size_t at, const struct judgement *j)
{
	json_t *row = add_row(w, o, at);
	json_object_set_new(row, "verdict", verdict_to_json(&j->verdict));
	json_object_set_new(row, "max_err", json_number(j->max_err));
	json_object_set_new(row, "tolerance", json_number(j->tolerance));
}

static int judge_one(struct worker *w, const struct ordeal *o, struct shape_cases *s, size_t at,
		     struct shown *shown, struct err *e)
{
	struct judgement j = { .verdict = shown->ended };
	if (!shown->has_same_bits && w->task.threads == 1)
		shown->answers[0].not_repeatable = shown->differing_output;
	if (shown->ended.state == VERDICT_NONE &&
	    content_judge(&s->contents[at], &w->tolerances, &shown->answers[0], &j, e) < 0)
		return -1;
	record(w, o, at, &j);
	return 0;
}

/* A judge need not have an answer beyond the legal inputs; that it has none is recorded as well. */
static int ask_judge(struct worker *w, const struct ordeal *o, struct shape_cases *s, size_t at,
		     struct err *e)
{
	if (oracle_run(w, &s->fp, &s->contents[at], 1, e) == 0)
		return 0;
	if (e->kind != ERR_INPUT)
		return -1;
	json_object_set_new(add_row(w, o, at), "unjudged", json_string(e->text));
	*e = (struct err){ 0 };
	return 0;
}

static int endure(struct worker *w, const struct ordeal *o, struct shape_cases *s,
		  struct shown *shown, struct err *e)
{
	if (cases_fill(s, w, o->seed, e) < 0 ||
	    show_shape(w, s, PARTY_CANDIDATE, worker_left_ns(w) / 4, shown, e) < 0)
		return -1;
	for (size_t i = 0; i < s->nr && shown[i].was_called; i++)
		if (ask_judge(w, o, s, i, e) < 0 ||
		    (s->contents[i].is_expected && judge_one(w, o, s, i, &shown[i], e) < 0))
			return -1;
	return 0;
}

static int run_ordeal(struct worker *w, const struct ordeal *o, struct err *e)
{
	struct cases one = { .shapes = xcalloc(1, sizeof(*one.shapes)), .nr = 1 };
	struct shape_cases *s = one.shapes;
	AUTO_FREE struct shown *shown = xcalloc(o->shape.nr_groups + 1, sizeof(*shown));
	s->shape = &o->shape;
	s->nr = s->nr_groups = o->shape.nr_groups;
	s->contents = xcalloc(s->nr + 1, sizeof(*s->contents));
	int rc = footprint_init(&s->fp, &w->task, &o->shape, e);
	if (rc == 0)
		rc = endure(w, o, s, shown, e);
	for (size_t i = 0; i < s->nr; i++)
		shown_release(&shown[i], &s->fp);
	cases_release(&one);
	return rc;
}

static int run_new_seed(struct worker *w, const struct shape *shape, struct err *e)
{
	struct ordeal o = { .shape = *shape, .seed = rng_derive(w->job.seed, "monitor") };
	return run_ordeal(w, &o, e);
}

/* Its footprint is the smallest among the job's shapes. */
static const struct shape *smallest_shape(const struct cases *cases)
{
	const struct shape_cases *best = &cases->shapes[0];
	for (size_t i = 1; i < cases->nr; i++)
		if (cases->shapes[i].fp.tensor_bytes < best->fp.tensor_bytes)
			best = &cases->shapes[i];
	return best->shape;
}

static int run_stresses(struct worker *w, const struct shape *shape, struct err *e)
{
	struct ordeal o = { .shape = *shape, .seed = rng_derive(w->job.seed, "stress") };
	o.is_made_up = true;
	o.shape.groups = o.groups;
	o.shape.nr_groups = 0;
	make_stresses(&o, w, &shape->groups[0]);
	int rc = o.shape.nr_groups ? run_ordeal(w, &o, e) : 0;
	for (size_t i = 0; i < ARRAY_LEN(o.inputs); i++)
		json_decref(o.inputs[i]);
	return rc;
}

int monitor_run(struct worker *w, struct err *e)
{
	AUTO_SPEND(w, judge_ns);
	AUTO_CASES struct cases cases = { 0 };
	if (cases_init(&cases, w, e) < 0)
		return -1;
	for (size_t i = 0; i < cases.nr; i++) {
		progress_print("monitor", i, cases.nr + 1);
		if (run_new_seed(w, cases.shapes[i].shape, e) < 0)
			return err_wrap(e, "monitor");
	}
	progress_print("monitor", cases.nr, cases.nr + 1);
	if (run_stresses(w, smallest_shape(&cases), e) < 0)
		return err_wrap(e, "monitor");
	progress_print("monitor", cases.nr + 1, cases.nr + 1);
	return 0;
}
