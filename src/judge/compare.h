/*
 * Got against want, one output at a time. The error of element i in slice s is
 *
 *     |got - want| / (|want| + mean |want| over s)
 *
 * with s an innermost row (rank >= 2) or a tile of 256 elements (rank 0 and 1), and once more with
 * s the whole tensor. want == got is 0; a zero denominator makes any difference infinite.
 * Non-finite values must match in position and sign, and what the dtype can not hold counts as it
 * would be stored (1e39 is an infinity in f32; a difference below the type's smallest step is
 * none). Integers and bools are exact: any difference is infinite.
 */
#ifndef FORGE_JUDGE_COMPARE_H
#define FORGE_JUDGE_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/dtype.h"

enum { COMPARE_TILE = 256 };

struct compare_spec {
	enum dtype dtype;
	const int64_t *extent; /* `rank` extents, outermost first */
	size_t rank;
	const void *got;  /* in `dtype` */
	const void *want; /* double for float dtypes, else in `dtype` */
	double tol_slice; /* INFINITY: no finite value is wrong (calibration) */
	double tol_tensor;
	/* Judge by |got - want| <= absolute + relative * |want| alone; errors are then parts of
	 * that allowance, and 1 is the tolerance. */
	bool by_origin;
	double relative;
	double absolute;
	uint64_t poison_salt; /* of the call that wrote `got` */
};

struct compare {
	size_t nr;
	size_t nr_slices;
	double max_slice_err;  /* INFINITY for a non-finite mismatch or an integer difference */
	double max_tensor_err; /* same */
	size_t worst_slice_at; /* element with the largest slice error, 0 when there is none */
	size_t worst_tensor_at;
	size_t nr_wrong;        /* elements beyond a tolerance, non-finite mismatches included */
	size_t nr_wrong_slices; /* slices that hold one */
	size_t nr_nonfinite_mismatch; /* NaN or infinity on one side only, or of another sign */
	size_t first_nonfinite_at;    /* 0 when there is none */
	size_t nr_zero;               /* got is zero; counted only when something is wrong */
	size_t nr_poison;             /* elements the call did not write */
	size_t first_poison_at;
};

void compare_run(const struct compare_spec *spec, struct compare *out);

/* Length of a slice, and how many there are; 0 elements have 0 slices. */
size_t compare_slice_len(const int64_t *extent, size_t rank);
size_t compare_elements(const int64_t *extent, size_t rank);
/* "[3,17]" for people and the student. */
void compare_index_print(const int64_t *extent, size_t rank, size_t at, char *out, size_t len);

#endif
