#include <math.h>
#include <stdint.h>

/* hypot of the C library instead of a square root of a sum, from the last element to the first. */
void hypot_ratio(const double *x, const double *y, double *z, int64_t n)
{
	for (int64_t i = n - 1; i >= 0; i--)
		z[i] = hypot(x[i], y[i]) / (fabs(x[i]) + 1.0);
}
