/*
 * Calibration: the reference's errors against the oracle, case by case, become tolerances. On the
 * way it checks that both compute the same thing (alignment): an error beyond 1e-2 (or beyond the
 * dtype's floor where that is larger), a non-finite mismatch, unwritten elements or any integer
 * difference is a mismatch and no tolerance may be made of it.
 */
#ifndef FORGE_JUDGE_CALIBRATE_H
#define FORGE_JUDGE_CALIBRATE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"
#include "judge/compare.h"
#include "judge/tolerance.h"

struct err;

struct mismatch {
	const char *shape;
	const char *group;
	const char *output;
	const char *index; /* "[3,17]" */
	double err;        /* normalised; INFINITY for integers and non-finite values */
	size_t nr_nonfinite;
	size_t nr_poison;
};

struct calibration {
	struct arena arena;
	struct tolerances tolerances; /* reference errors so far */
	bool is_by_origin;            /* some case was held against an origin's rule */
	struct mismatch *mismatches;
	size_t nr_mismatches;
	size_t cap_mismatches;
};

/* One output of one case, compared with infinite tolerances. */
struct calibrate_case {
	const char *shape;
	const char *group;
	const char *output;
	enum dtype dtype;
	const int64_t *extent;
	size_t rank;
	const struct compare *compare;
	/* Of a leaderboard: the origin's tolerance, and the comparison by it. NULL: none, then the
	 * tolerance is made from the errors. */
	const struct tolerance *origin;
	const struct compare *by_origin;
};

/* Do both compute the same thing, up to rounding? */
bool calibrate_is_aligned(enum dtype dtype, const struct compare *c);
/* The same of a reference that was aligned before, on further inputs, compared with
 * calibrate_limit() as tolerance of a slice: few slices may cancel so far that rounding is all that
 * is left of them. */
double calibrate_limit(enum dtype dtype);
bool calibrate_is_aligned_still(enum dtype dtype, const struct compare *c);
/* False when it is a mismatch (recorded). */
bool calibrate_add(struct calibration *c, const struct calibrate_case *one);
/* Tolerances from all that was added; error naming the first mismatch and their number. The result
 * is the calibration's own. */
const struct tolerances *calibrate_finish(struct calibration *c, struct err *e);
/* Feedback for the author of a judge: [{"shape","group","output","index","error"}...]. */
json_t *calibrate_mismatches_to_json(const struct calibration *c);
void calibrate_release(struct calibration *c);
#define AUTO_CALIBRATION __attribute__((cleanup(calibrate_release)))

#endif
