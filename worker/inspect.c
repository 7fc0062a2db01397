#include "worker/inspect.h"

/*
 * A summary says how an operator behaves: range, mean, zeros, NaN. Lists of elements are not given:
 * they say little more of behaviour and would carry whole cases. Held-out shapes do not exist here.
 */

#include <math.h>

#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "build/listing.h"
#include "judge/poison.h"
#include "worker/cases.h"
#include "worker/parties.h"
#include "worker/show.h"

/* The answer is an event of the run, and a prompt: some 800 instructions a call. */
enum { LISTING_BYTES = 24 << 10 };

__attribute__((format(printf, 1, 2))) static json_t *refusal(const char *fmt, ...)
{
	AUTO_STR struct str text = STR_INIT;
	va_list ap;
	va_start(ap, fmt);
	str_vaddf(&text, fmt, ap);
	va_end(ap);
	return json_pack("{s:s}", "refused", text.text);
}

struct summary {
	double min;
	double max;
	double mean;
	double sum_squares;
	size_t nr_finite;
	size_t nr_zero;
	size_t nr_nan;
	size_t nr_infinite;
};

static void add_value(struct summary *s, double value)
{
	if (isnan(value)) {
		s->nr_nan++;
		return;
	}
	if (isinf(value)) {
		s->nr_infinite++;
		return;
	}
	s->nr_zero += value == 0;
	s->min = s->nr_finite ? fmin(s->min, value) : value;
	s->max = s->nr_finite ? fmax(s->max, value) : value;
	s->nr_finite++;
	s->mean += (value - s->mean) / (double)s->nr_finite;
	s->sum_squares += value * value;
}

static json_t *output_summary(const struct operand *o, const struct answer *a, size_t arg)
{
	struct summary s = { 0 };
	const enum dtype t = o->arg->dtype;
	for (size_t i = 0; i < o->nr; i++)
		add_value(&s, dtype_load(t, a->got[arg], i));
	/* One or two bytes hold the pattern by chance. */
	bool can_tell = dtype_bytes(t) >= sizeof(uint32_t);
	size_t unwritten = can_tell ? poison_count(t, a->got[arg], o->nr, a->poison_salt) : 0;
	json_t *obj = json_pack("{s:s, s:s, s:I, s:I, s:I, s:I, s:I}", "output", o->arg->name,
				"dtype", dtype_name(t), "elements", (json_int_t)o->nr, "zeros",
				(json_int_t)s.nr_zero, "nan", (json_int_t)s.nr_nan, "infinite",
				(json_int_t)s.nr_infinite, "unwritten", (json_int_t)unwritten);
	if (s.nr_finite) {
		json_object_set_new(obj, "min", json_number(s.min));
		json_object_set_new(obj, "max", json_number(s.max));
		json_object_set_new(obj, "mean", json_number(s.mean));
		json_object_set_new(obj, "rms",
				    json_number(sqrt(s.sum_squares / (double)s.nr_finite)));
	}
	return obj;
}

static json_t *outputs_of(const struct shape_cases *s, const struct shown *shown)
{
	json_t *list = json_array();
	for (size_t i = 0; i < s->fp.nr; i++)
		if (s->fp.items[i].is_output)
			json_array_append_new(
				list, output_summary(&s->fp.items[i], &shown->answers[0], i));
	return list;
}

static json_t *answer_of(const struct shape_cases *s, const struct shown *shown)
{
	if (shown->ended.state != VERDICT_NONE)
		return json_pack("{s:o}", "verdict", verdict_to_json(&shown->ended));
	return json_pack("{s:o, s:b, s:I}", "outputs", outputs_of(s, shown), "repeatable",
			 shown->has_same_bits, "warm_call_ns",
			 (json_int_t)s->call_ns[PARTY_REFERENCE]);
}

/* A generator that does not draw is the asker's fault, whatever else fails is ours. */
static int call_reference(struct worker *w, struct shape_cases *s, json_t **out, struct err *e)
{
	struct shown shown = { 0 };
	struct err why = { 0 };
	if (cases_fill(s, w, w->job.seed, &why) < 0) {
		*out = refusal("%s", why.text);
		return 0;
	}
	int rc = show_shape(w, s, PARTY_REFERENCE, worker_left_ns(w) / 4, &shown, e);
	if (rc == 0)
		*out = answer_of(s, &shown);
	shown_release(&shown, &s->fp);
	return rc;
}

static int run_case(struct worker *w, const struct shape *shape, json_t **out, struct err *e)
{
	struct cases one = { .shapes = xcalloc(1, sizeof(*one.shapes)), .nr = 1 };
	struct shape_cases *s = one.shapes;
	s->shape = shape;
	s->nr = s->nr_groups = 1;
	s->contents = xcalloc(1, sizeof(*s->contents));
	int rc = footprint_init(&s->fp, &w->task, shape, e);
	if (rc == 0)
		rc = call_reference(w, s, out, e);
	cases_release(&one);
	return rc;
}

static const struct arg *find_input(const struct task *t, const char *name)
{
	for (size_t i = 0; i < t->nr_args; i++)
		if (str_equal(t->args[i].name, name) && arg_is_input(&t->args[i]) &&
		    t->args[i].role != ARG_SCALAR)
			return &t->args[i];
	return NULL;
}

/* The asker's generators in the place of the group's; NULL: one is for no input. */
static json_t *inputs_of(const struct worker *w, const struct group *base, const json_t *asked,
			 json_t **refused)
{
	const char *name;
	json_t *generator;
	json_t *inputs = json_deep_copy(base->inputs);
	json_object_foreach((json_t *)(uintptr_t)asked, name, generator)
	{
		if (!find_input(&w->task, name)) {
			*refused = refusal("there is no input \"%s\"", name);
			json_decref(inputs);
			return NULL;
		}
		json_object_set(inputs, name, generator);
	}
	return inputs;
}

static int run_asked(struct worker *w, const json_t *ask, json_t **out, struct err *e)
{
	const char *name = json_text_or(ask, "shape", "");
	const struct shape *shape = shapes_find(&w->task.shapes, name);
	if (!shape || shape->held_out || !shape->nr_groups) {
		*out = refusal("there is no shape \"%s\"", name);
		return 0;
	}
	AUTO_JSON json_t *inputs =
		inputs_of(w, &shape->groups[0], json_object_get(ask, "inputs"), out);
	if (!inputs)
		return 0;
	struct group group = { .name = "asked", .inputs = inputs };
	struct shape made = *shape;
	made.groups = &group;
	made.nr_groups = 1;
	return run_case(w, &made, out, e);
}

static int list_asked(struct worker *w, const json_t *ask, json_t **out, struct err *e)
{
	int64_t from = json_int_or(ask, "from", 0);
	AUTO_LISTING struct listing l = { .text = STR_INIT };
	if (parties_listing(w, from > 0 ? (size_t)from : 0, LISTING_BYTES, &l, e) < 0)
		return -1;
	*out = json_pack("{s:s, s:I, s:I}", "listing", l.text.text, "instructions",
			 (json_int_t)l.nr, "next", (json_int_t)l.next);
	return 0;
}

int inspect_run(struct worker *w, struct err *e)
{
	AUTO_FREE char *path = path_join(w->bundle, "ask.json");
	AUTO_JSON json_t *ask = json_read_file(path, e);
	json_t *answer = NULL;
	if (!ask)
		return -1;
	int rc = json_object_get(ask, "shape") ? run_asked(w, ask, &answer, e)
					       : list_asked(w, ask, &answer, e);
	if (answer)
		worker_record(w, "inspection", answer);
	return rc;
}
