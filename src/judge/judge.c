#include "judge/judge.h"

/* The first of these that is true decides, for a case:
 *
 *   out_of_bounds    a canary beside an argument was written: nothing else can be trusted
 *   input_modified   a read-only input changed: the outputs answer another question
 *   then output by output, in the order of the signature:
 *     unwritten        elements still hold poison
 *     wrong_zeros      wrong, and all zero
 *     wrong_nonfinite  NaN or infinity on one side only, or of another sign
 *     wrong_slice      some slices hold wrong elements and others hold none
 *     wrong_value      wrong in any other way
 *   not_repeatable   right, but other bits for the same input
 *   ok
 *
 * The order goes from what explains most to what explains least: a kernel that wrote half of its
 * output also has NaN where none belongs, and saying so would send its author searching for a
 * division by zero. A detail says where and how many times the tolerance, to two digits and never
 * more than LARGEST_FACTOR: enough to find a mistake, too little to compute the expected value. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"

#define LARGEST_FACTOR 1000.0

enum { INDEX_ROOM = 96 };

struct place {
	char text[INDEX_ROOM];
};

static struct place place_of(const struct judge_output *o, size_t at)
{
	struct place p;
	compare_index_print(o->extent, o->rank, at, p.text, sizeof(p.text));
	return p;
}

/* How far beyond its tolerance an error is; no difference is 0 whatever the tolerance. */
static double factor_of(double err, double tol)
{
	if (err == 0)
		return 0;
	return tol > 0 ? err / tol : INFINITY;
}

struct worst {
	double factor;
	double err;
	double tol;
	size_t at;
};

/* The worse of slice and tensor. An origin's rule has neither: its errors are parts of what it
 * allows. */
static struct worst worst_of(const struct judge_output *o, const struct compare *c)
{
	if (o->tol.is_origin)
		return (struct worst){ .factor = c->max_slice_err,
				       .err = c->max_slice_err,
				       .tol = 1,
				       .at = c->worst_slice_at };
	struct worst slice = { .factor = factor_of(c->max_slice_err, o->tol.slice),
			       .err = c->max_slice_err,
			       .tol = o->tol.slice,
			       .at = c->worst_slice_at };
	struct worst tensor = { .factor = factor_of(c->max_tensor_err, o->tol.tensor),
				.err = c->max_tensor_err,
				.tol = o->tol.tensor,
				.at = c->worst_tensor_at };
	return tensor.factor > slice.factor ? tensor : slice;
}

static enum reason classify(const struct compare *c)
{
	if (c->nr_poison > 0)
		return REASON_unwritten;
	if (c->nr_wrong == 0)
		return REASON_ok;
	if (c->nr_zero == c->nr)
		return REASON_wrong_zeros;
	if (c->nr_nonfinite_mismatch > 0)
		return REASON_wrong_nonfinite;
	if (c->nr_wrong_slices < c->nr_slices)
		return REASON_wrong_slice;
	return REASON_wrong_value;
}

static struct verdict unwritten(const struct judge_output *o, const struct compare *c)
{
	return verdict_make(REASON_unwritten, "%zu of %zu elements, the first at %s", c->nr_poison,
			    c->nr, place_of(o, c->first_poison_at).text);
}

static struct verdict wrong_nonfinite(const struct judge_output *o, const struct compare *c)
{
	return verdict_make(REASON_wrong_nonfinite, "%zu of %zu elements, the first at %s",
			    c->nr_nonfinite_mismatch, c->nr,
			    place_of(o, c->first_nonfinite_at).text);
}

/* Integers have no tolerance to be a multiple of. */
static struct verdict wrong_exact(enum reason reason, const struct judge_output *o,
				  const struct compare *c)
{
	return verdict_make(reason,
			    "%zu of %zu elements in %zu of %zu rows or tiles differ; one at %s",
			    c->nr_wrong, c->nr, c->nr_wrong_slices, c->nr_slices,
			    place_of(o, c->worst_slice_at).text);
}

/* Two digits. */
static double blurred(double factor)
{
	char digits[32];
	snprintf(digits, sizeof(digits), "%.1e", factor);
	return strtod(digits, NULL);
}

static struct verdict wrong_numbers(enum reason reason, const struct judge_output *o,
				    const struct compare *c)
{
	struct worst w = worst_of(o, c);
	bool is_capped = w.factor > LARGEST_FACTOR;
	return verdict_make(reason,
			    "%zu of %zu elements in %zu of %zu rows or tiles; worst at %s, "
			    "%s%g times the tolerance",
			    c->nr_wrong, c->nr, c->nr_wrong_slices, c->nr_slices,
			    place_of(o, w.at).text, is_capped ? "more than " : "",
			    is_capped ? LARGEST_FACTOR : blurred(w.factor));
}

static struct verdict wrong(enum reason reason, const struct judge_output *o,
			    const struct compare *c)
{
	if (!dtype_is_float(o->dtype))
		return wrong_exact(reason, o, c);
	return wrong_numbers(reason, o, c);
}

static struct verdict verdict_of_output(const struct judge_output *o, const struct compare *c)
{
	enum reason reason = classify(c);
	struct verdict v = verdict_make(REASON_ok, "%s", "");
	if (reason == REASON_ok)
		return v;
	if (reason == REASON_unwritten)
		v = unwritten(o, c);
	else if (reason == REASON_wrong_nonfinite)
		v = wrong_nonfinite(o, c);
	else
		v = wrong(reason, o, c);
	snprintf(v.output, sizeof(v.output), "%s", o->name);
	return v;
}

static void compare_output(const struct judge_output *o, struct compare *c)
{
	struct compare_spec spec = { .dtype = o->dtype,
				     .extent = o->extent,
				     .rank = o->rank,
				     .got = o->got,
				     .want = o->want,
				     .tol_slice = o->tol.slice,
				     .tol_tensor = o->tol.tensor,
				     .by_origin = o->tol.is_origin,
				     .relative = o->tol.relative,
				     .absolute = o->tol.absolute,
				     .poison_salt = o->poison_salt };
	compare_run(&spec, c);
}

/* The judgement speaks of the output that is furthest from its tolerance, its verdict of the first
 * that is wrong. */
static void judge_output(const struct judge_output *o, bool is_first, double *factor,
			 struct judgement *out)
{
	struct compare c;
	compare_output(o, &c);
	if (out->verdict.reason == REASON_ok)
		out->verdict = verdict_of_output(o, &c);
	struct worst w = worst_of(o, &c);
	if (!is_first && w.factor <= *factor)
		return;
	*factor = w.factor;
	out->max_err = w.err;
	out->tolerance = w.tol;
	out->compare = c;
}

/* What was seen around the call and outweighs the values. */
static struct verdict verdict_of_surroundings(const struct judge_case *c)
{
	if (c->stray_write)
		return verdict_make(REASON_out_of_bounds, "memory beside argument %s",
				    c->stray_write);
	if (c->input_modified)
		return verdict_make(REASON_input_modified, "argument %s", c->input_modified);
	return verdict_make(REASON_ok, "%s", "");
}

static void judge_repetition(const struct judge_case *c, struct verdict *v)
{
	if (!c->not_repeatable || v->reason != REASON_ok)
		return;
	*v = verdict_make(REASON_not_repeatable, "%s", "within the tolerance, but other bits");
	snprintf(v->output, sizeof(v->output), "%s", c->not_repeatable);
}

void judge_case_run(const struct judge_case *c, struct judgement *out)
{
	double factor = 0;
	if (c->nr_outputs == 0)
		BUG("case %s/%s has no outputs to judge", c->shape, c->group);
	*out = (struct judgement){ .verdict = verdict_of_surroundings(c) };
	for (size_t i = 0; i < c->nr_outputs; i++)
		judge_output(&c->outputs[i], i == 0, &factor, out);
	judge_repetition(c, &out->verdict);
	snprintf(out->verdict.shape, sizeof(out->verdict.shape), "%s", c->shape);
	snprintf(out->verdict.group, sizeof(out->verdict.group), "%s", c->group);
}

/* NONE is no outcome and must not be read as one. */
static int gravity(enum verdict_state state)
{
	static const int gravities[] = {
		[VERDICT_PASS] = 1,
		[VERDICT_FAIL] = 2,
		[VERDICT_POLICY] = 3,
		[VERDICT_TAMPER] = 4,
	};
	return gravities[state];
}

struct verdict judge_candidate(const struct verdict *cases, size_t nr)
{
	const struct verdict *gravest = NULL;
	for (size_t i = 0; i < nr; i++) {
		if (gravity(cases[i].state) == 0)
			BUG("case %zu has no verdict", i);
		if (!gravest || gravity(cases[i].state) > gravity(gravest->state))
			gravest = &cases[i];
	}
	if (!gravest)
		BUG("a candidate without cases");
	if (gravest->state != VERDICT_PASS)
		return *gravest;
	return verdict_make(REASON_ok, "%zu cases", nr);
}
