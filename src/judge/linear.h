/*
 * Exactness probes for operators that a task declares linear in some inputs: inputs times a power
 * of two must give outputs times that power, and zeros must give zeros. Scaling by a power of two
 * changes no digit, so the tolerances of the unscaled case hold. worker/probe.c asks.
 */
#ifndef FORGE_JUDGE_LINEAR_H
#define FORGE_JUDGE_LINEAR_H

#include <stdbool.h>
#include <stddef.h>

#include "model/dtype.h"

/* `in` times `factor`, a power of two or its negative. False: not exact in this type, or not
 * finite; then `out` says nothing. */
bool linear_scale(enum dtype t, const void *in, size_t nr, double factor, void *out);
/* Expected values of an output of type `t` times `factor`. False: one of them is not finite, or
 * comes so near to an end of the type's range that rounding there would tell. */
bool linear_expect(enum dtype t, const double *want, size_t nr, double factor, double *out);

#endif
