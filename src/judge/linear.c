#include "judge/linear.h"

/* The margins keep what a kernel adds up on its way within the range, and its results above the
 * numbers that have fewer digits. */

#include <float.h>
#include <math.h>

#include "base/err.h"

#define MARGIN 16.0

/* Largest number and smallest with all its digits. */
static const struct {
	double max;
	double normal;
} ranges[DTYPE_NR] = {
	[DTYPE_F64] = { DBL_MAX, DBL_MIN }, [DTYPE_F32] = { FLT_MAX, FLT_MIN },
	[DTYPE_F16] = { 65504, 0x1p-14 },   [DTYPE_BF16] = { 0x1.fep127, 0x1p-126 },
	[DTYPE_F8E4M3] = { 448, 0x1p-6 },   [DTYPE_F8E5M2] = { 57344, 0x1p-14 },
};

bool linear_scale(enum dtype t, const void *in, size_t nr, double factor, void *out)
{
	for (size_t i = 0; i < nr; i++) {
		double value = dtype_load(t, in, i) * factor;
		dtype_store(t, out, i, value);
		if (!isfinite(value) || dtype_load(t, out, i) != value)
			return false;
	}
	return true;
}

bool linear_expect(enum dtype t, const double *want, size_t nr, double factor, double *out)
{
	if (!dtype_is_float(t))
		BUG("%s is not a type that scales", dtype_name(t));
	for (size_t i = 0; i < nr; i++) {
		out[i] = want[i] * factor;
		double magnitude = fabs(out[i]);
		if (!(magnitude <= ranges[t].max / MARGIN))
			return false;
		if (magnitude > 0 && magnitude < ranges[t].normal * MARGIN)
			return false;
	}
	return true;
}
