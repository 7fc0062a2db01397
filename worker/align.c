#include "worker/align.h"

/*
 * All expected values stay in memory until the end: the self-test needs the final tolerances, and a
 * case's "stale" cheat is the answer to the group beside it.
 */

#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/rng.h"
#include "judge/calibrate.h"
#include "judge/selftest.h"
#include "worker/oracle.h"
#include "worker/probe.h"
#include "worker/progress.h"
#include "worker/show.h"

/* One draw of inputs says too little about the largest error of a group: a candidate that rounds
 * exactly as the reference does would now and then fail on another seed. More draws are taken as
 * long as they are cheap. */
enum { MAX_DRAWS = 5 };
#define MORE_DRAWS_NS (15 * NS_PER_S)

struct alignment {
	struct worker *w;
	struct cases *cases;
	unsigned nr_draws;
	struct calibration calibration;
	size_t nr_done;
	unsigned nr_cheats_judged;
};

static int add_output(struct alignment *a, const struct shape_cases *s, size_t at, size_t arg,
		      const struct answer *answer, struct err *e)
{
	const struct operand *o = &s->fp.items[arg];
	int64_t extent[CONTENT_MAX_RANK] = { 0 };
	struct compare_spec spec;
	if (content_to_compare(&s->contents[at], answer, arg, extent, &spec, e) < 0)
		return -1;
	struct compare compare;
	compare_run(&spec, &compare);
	struct tolerance origin = { 0 };
	struct compare by_origin = { 0 };
	if (tolerance_of_origin(&a->w->task, o->arg->name, &origin)) {
		spec.by_origin = true;
		spec.relative = origin.relative;
		spec.absolute = origin.absolute;
		compare_run(&spec, &by_origin);
	}
	struct calibrate_case one = {
		.shape = s->shape->name,
		.group = s->contents[at].group->name,
		.output = o->arg->name,
		.dtype = o->arg->dtype,
		.extent = extent,
		.rank = o->arg->nr_shape,
		.compare = &compare,
		.origin = origin.is_origin ? &origin : NULL,
		.by_origin = &by_origin,
	};
	calibrate_add(&a->calibration, &one);
	return 0;
}

static int refuse_reference(const struct shape_cases *s, size_t at, const struct shown *shown,
			    struct err *e)
{
	const char *group = s->shape->groups[at].name;
	if (shown->ended.state != VERDICT_NONE)
		return err_set(e, ERR_INPUT, "the reference fails on shape %s, group %s: %s: %s",
			       s->shape->name, group, reason_name(shown->ended.reason),
			       shown->ended.detail);
	for (size_t k = 0; k < SHOW_CALLS; k++)
		if (shown->answers[k].stray_write)
			return err_set(e, ERR_INPUT,
				       "the reference writes outside argument %s on shape %s",
				       shown->answers[k].stray_write, s->shape->name);
	if (shown->has_same_bits)
		return 0;
	return err_set(e, ERR_INPUT,
		       "the reference gives other bits for the same input: shape %s, group %s",
		       s->shape->name, group);
}

static int align_case(struct alignment *a, const struct shape_cases *s, size_t at,
		      const struct shown *shown, struct err *e)
{
	if (refuse_reference(s, at, shown, e) < 0)
		return -1;
	for (size_t i = 0; i < s->fp.nr; i++)
		if (s->fp.items[i].is_output && add_output(a, s, at, i, &shown->answers[0], e) < 0)
			return -1;
	return 0;
}

static int align_shown(struct alignment *a, struct shape_cases *s, struct shown *shown,
		       struct err *e)
{
	struct worker *w = a->w;
	AUTO_FREE char *purpose = xasprintf("draw %u", a->nr_draws);
	uint64_t seed = a->nr_draws ? rng_derive(w->job.seed, purpose) : w->job.seed;
	if (cases_fill(s, w, seed, e) < 0 ||
	    show_shape(w, s, PARTY_REFERENCE, worker_left_ns(w), shown, e) < 0)
		return -1;
	for (size_t i = 0; i < s->nr; i++)
		if (shown[i].ended.state != VERDICT_NONE)
			return refuse_reference(s, i, &shown[i], e);
	if (oracle_run(w, &s->fp, s->contents, s->nr, e) < 0)
		return -1;
	for (size_t i = 0; i < s->nr; i++)
		if (align_case(a, s, i, &shown[i], e) < 0)
			return -1;
	return 0;
}

static int align_shape(struct alignment *a, struct shape_cases *s, struct err *e)
{
	AUTO_SPEND(a->w, judge_ns);
	AUTO_FREE struct shown *shown = xcalloc(s->nr, sizeof(*shown));
	int rc = align_shown(a, s, shown, e);
	for (size_t i = 0; i < s->nr; i++)
		shown_release(&shown[i], &s->fp);
	return rc;
}

static struct selftest_output selftest_output_of(const struct shape_cases *s, size_t at, size_t arg)
{
	const struct operand *o = &s->fp.items[arg];
	struct selftest_output out = {
		.name = o->arg->name,
		.dtype = o->arg->dtype,
		.rank = o->arg->nr_shape,
		.want = s->contents[at].want[arg],
	};
	if (s->nr > 1) {
		out.stale = s->contents[(at + 1) % s->nr].want[arg];
		out.nr_stale = o->nr;
	}
	return out;
}

static void set_input(struct selftest_case *c, const struct shape_cases *s, size_t at)
{
	for (size_t i = 0; i < s->fp.nr && !c->input; i++) {
		const struct operand *o = &s->fp.items[i];
		if (!o->is_tensor || !o->is_input)
			continue;
		c->input = s->contents[at].in[i];
		c->input_dtype = o->arg->dtype;
		c->nr_input = o->nr;
	}
}

static int test_case(struct alignment *a, const struct shape_cases *s, size_t at, struct err *e)
{
	const size_t nr_args = s->fp.nr;
	AUTO_FREE struct selftest_output *outputs = xcalloc(nr_args, sizeof(*outputs));
	AUTO_FREE int64_t *extents = xcalloc(nr_args * CONTENT_MAX_RANK, sizeof(*extents));
	struct selftest_case c = {
		.shape = s->shape->name,
		.group = s->contents[at].group->name,
		.outputs = outputs,
	};
	for (size_t i = 0; i < nr_args; i++) {
		const struct operand *o = &s->fp.items[i];
		if (!o->is_output)
			continue;
		int64_t *extent = extents + i * CONTENT_MAX_RANK;
		const struct tolerance *tol =
			tolerances_find(&a->calibration.tolerances, c.group, o->arg->name);
		if (!tol)
			BUG("no tolerance was made for %s", o->arg->name);
		if (arg_extents(o->arg, &s->shape->dims, extent, e) < 0)
			return -1;
		struct selftest_output out = selftest_output_of(s, at, i);
		out.extent = extent;
		out.tol = *tol;
		outputs[c.nr_outputs++] = out;
	}
	set_input(&c, s, at);
	struct selftest result;
	int rc = selftest_run(&c, &result, e);
	a->nr_cheats_judged += result.nr_judged;
	return rc;
}

static int test_all(struct alignment *a, struct err *e)
{
	AUTO_SPEND(a->w, judge_ns);
	for (size_t i = 0; i < a->cases->nr; i++) {
		const struct shape_cases *s = &a->cases->shapes[i];
		for (size_t k = 0; k < s->nr; k++)
			if (test_case(a, s, k, e) < 0)
				return err_wrap(e, "self-test");
	}
	return 0;
}

static int save(const struct alignment *a, const struct tolerances *t, struct err *e)
{
	AUTO_FREE char *dir = path_join(a->w->bundle, "check");
	AUTO_FREE char *path = path_join(dir, "tolerances.json");
	struct tolerances named = *t;
	named.reference = a->w->builds[PARTY_REFERENCE].source.hex;
	AUTO_JSON json_t *json = tolerances_to_json(&named);
	return dir_make(dir, e) < 0 ? -1 : json_write_file(path, json, e);
}

/* The first draw stays in memory for the self-test. */
static int first_draw(struct alignment *a, struct err *e)
{
	for (size_t i = 0; i < a->cases->nr; i++) {
		if (align_shape(a, &a->cases->shapes[i], e) < 0)
			return -1;
		a->nr_done += a->cases->shapes[i].nr;
		progress_print("calibrate", a->nr_done, a->cases->nr_cases);
	}
	a->nr_draws = 1;
	return 0;
}

static int another_draw(struct alignment *a, struct err *e)
{
	AUTO_CASES struct cases again = { 0 };
	if (cases_init(&again, a->w, e) < 0)
		return -1;
	for (size_t i = 0; i < again.nr; i++) {
		struct shape_cases *s = &again.shapes[i];
		if (align_shape(a, s, e) < 0)
			return -1;
		for (size_t k = 0; k < s->nr; k++)
			content_release(&s->contents[k]);
	}
	a->nr_draws++;
	return 0;
}

static int all_draws(struct alignment *a, struct err *e)
{
	uint64_t begin_ns = clock_mono_ns();
	if (first_draw(a, e) < 0)
		return -1;
	while (a->nr_draws < MAX_DRAWS && a->calibration.nr_mismatches == 0 &&
	       clock_mono_ns() - begin_ns < MORE_DRAWS_NS)
		if (another_draw(a, e) < 0)
			return -1;
	return 0;
}

static int run(struct alignment *a, const char **step, struct err *e)
{
	*step = "reference";
	if (all_draws(a, e) < 0)
		return -1;
	*step = "align";
	const struct tolerances *t = calibrate_finish(&a->calibration, e);
	if (!t)
		return -1;
	*step = "self_test";
	if (test_all(a, e) < 0)
		return -1;
	*step = "linear";
	for (size_t i = 0; i < a->cases->nr; i++)
		if (probe_reference(a->w, t, &a->cases->shapes[i], e) < 0)
			return -1;
	*step = "save";
	return save(a, t, e);
}

static json_t *times_to_json(const struct cases *cases)
{
	json_t *obj = json_object();
	for (size_t i = 0; i < cases->nr; i++)
		json_object_set_new(obj, cases->shapes[i].shape->name,
				    json_integer((json_int_t)cases->shapes[i].call_ns[0]));
	return obj;
}

static void record(struct alignment *a, const char *step, bool is_ok)
{
	json_t *doc = json_object();
	json_object_set_new(doc, "ok", json_boolean(is_ok));
	json_object_set_new(doc, "step", json_string(is_ok ? "done" : step));
	json_object_set_new(doc, "mismatches", calibrate_mismatches_to_json(&a->calibration));
	json_object_set_new(doc, "cases", json_integer((json_int_t)a->nr_done));
	json_object_set_new(doc, "draws", json_integer(a->nr_draws));
	json_object_set_new(doc, "cheats_judged", json_integer(a->nr_cheats_judged));
	json_object_set_new(doc, "reference_ns", times_to_json(a->cases));
	worker_record(a->w, "calibration", doc);
}

int align_run(struct worker *w, struct cases *cases, struct err *e)
{
	struct alignment a = { .w = w, .cases = cases };
	const char *step = NULL;
	int rc = run(&a, &step, e);
	record(&a, step, rc == 0);
	calibrate_release(&a.calibration);
	return rc;
}
