#include "judge/calibrate.h"

/* Errors are gathered per (group, output) over all shapes: a candidate may be as inexact on the
 * small shape as the reference is on the large one, since what sets the error is the kind of data.
 * Alignment is judged before that: of two programs that compute different things no tolerance may
 * be made, however wide. */

#include <math.h>

#include "base/err.h"
#include "base/json.h"

/* A reference in working precision is orders of magnitude closer than this to a judge that computes
 * the same thing, and one that computes another thing is beyond it; the coarsest types are not. */
#define ALIGNED 1e-2

/* Where the values of a slice nearly cancel, its error says nothing: one slice of so many, and at
 * least one, may be up to half wrong, as long as the tensor as a whole is aligned. */
#define CANCELLED_ONE_IN 1024
#define CANCELLED 0.5

double calibrate_limit(enum dtype dtype)
{
	return dtype_is_float(dtype) ? fmax(ALIGNED, dtype_floor(dtype)) : 0;
}

bool calibrate_is_aligned(enum dtype dtype, const struct compare *c)
{
	double limit = calibrate_limit(dtype);
	return c->nr_nonfinite_mismatch == 0 && c->nr_poison == 0 && c->max_slice_err <= limit &&
	       c->max_tensor_err <= limit;
}

bool calibrate_is_aligned_still(enum dtype dtype, const struct compare *c)
{
	if (!dtype_is_float(dtype) || calibrate_is_aligned(dtype, c))
		return calibrate_is_aligned(dtype, c);
	return c->nr_nonfinite_mismatch == 0 && c->nr_poison == 0 &&
	       c->max_tensor_err <= calibrate_limit(dtype) && c->max_slice_err <= CANCELLED &&
	       c->nr_wrong_slices <= 1 + c->nr_slices / CANCELLED_ONE_IN;
}

/* Where a reader should look first. */
static size_t mismatch_place(const struct compare *c)
{
	if (c->nr_poison)
		return c->first_poison_at;
	if (c->nr_nonfinite_mismatch)
		return c->first_nonfinite_at;
	return c->max_slice_err >= c->max_tensor_err ? c->worst_slice_at : c->worst_tensor_at;
}

static struct mismatch *new_mismatch(struct calibration *c)
{
	if (c->nr_mismatches == c->cap_mismatches) {
		size_t cap = c->cap_mismatches ? 2 * c->cap_mismatches : 16;
		struct mismatch *more = arena_array(&c->arena, cap, sizeof(*more));
		for (size_t i = 0; i < c->nr_mismatches; i++)
			more[i] = c->mismatches[i];
		c->mismatches = more;
		c->cap_mismatches = cap;
	}
	return &c->mismatches[c->nr_mismatches++];
}

static void note_mismatch(struct calibration *c, const struct calibrate_case *one)
{
	char index[96];
	const struct compare *cmp = one->compare;
	compare_index_print(one->extent, one->rank, mismatch_place(cmp), index, sizeof(index));
	*new_mismatch(c) = (struct mismatch){
		.shape = arena_strdup(&c->arena, one->shape),
		.group = arena_strdup(&c->arena, one->group),
		.output = arena_strdup(&c->arena, one->output),
		.index = arena_strdup(&c->arena, index),
		.err = fmax(cmp->max_slice_err, cmp->max_tensor_err),
		.nr_nonfinite = cmp->nr_nonfinite_mismatch,
		.nr_poison = cmp->nr_poison,
	};
}

/* The origin's judge is not asked to be ours: what it lets pass is aligned. */
static bool is_aligned(const struct calibrate_case *one)
{
	if (!one->origin)
		return calibrate_is_aligned(one->dtype, one->compare);
	return one->by_origin->nr_wrong == 0 && one->by_origin->nr_poison == 0;
}

bool calibrate_add(struct calibration *c, const struct calibrate_case *one)
{
	c->is_by_origin |= one->origin != NULL;
	if (!is_aligned(one)) {
		note_mismatch(c, one);
		return false;
	}
	struct tolerance_row *row = tolerances_row(&c->tolerances, one->group, one->output);
	row->dtype = one->dtype;
	if (one->origin)
		row->tol = *one->origin;
	row->reference.slice = fmax(row->reference.slice, one->compare->max_slice_err);
	row->reference.tensor = fmax(row->reference.tensor, one->compare->max_tensor_err);
	return true;
}

static const char *mismatch_kind(const struct mismatch *m)
{
	if (m->nr_poison)
		return "the reference leaves elements unwritten";
	if (m->nr_nonfinite)
		return "NaN or infinity on one side only";
	return "values differ";
}

const struct tolerances *calibrate_finish(struct calibration *c, struct err *e)
{
	if (c->nr_mismatches) {
		const struct mismatch *m = &c->mismatches[0];
		err_set(e, ERR_INPUT,
			"%s: case %s/%s, output %s%s: %s (normalised error %.2g); %zu mismatches "
			"in all",
			c->is_by_origin ? "the reference does not pass the origin's own judge"
					: "judge and reference do not compute the same",
			m->shape, m->group, m->output, m->index, mismatch_kind(m), m->err,
			c->nr_mismatches);
		return NULL;
	}
	for (size_t i = 0; i < c->tolerances.nr; i++) {
		struct tolerance_row *row = &c->tolerances.rows[i];
		if (!row->tol.is_origin)
			row->tol = tolerance_of(row->dtype, row->reference);
	}
	return &c->tolerances;
}

json_t *calibrate_mismatches_to_json(const struct calibration *c)
{
	json_t *list = json_array();
	for (size_t i = 0; i < c->nr_mismatches; i++) {
		const struct mismatch *m = &c->mismatches[i];
		json_t *one = json_object();
		json_object_set_new(one, "shape", json_string(m->shape));
		json_object_set_new(one, "group", json_string(m->group));
		json_object_set_new(one, "output", json_string(m->output));
		json_object_set_new(one, "index", json_string(m->index));
		json_object_set_new(one, "kind", json_string(mismatch_kind(m)));
		json_object_set_new(one, "error", json_number(m->err));
		json_array_append_new(list, one);
	}
	return list;
}

void calibrate_release(struct calibration *c)
{
	tolerances_release(&c->tolerances);
	arena_release(&c->arena);
	*c = (struct calibration){ 0 };
}
