/* The truth, in double precision and by another way than the reference: from the last element to
 * the first, with fused multiply-add. It has the name of the entry; every float of the signature is a
 * double here. It is compiled and called by the judge only, never timed. */
#include <math.h>
#include <stdint.h>

void run(const double *x, const double *y, double *z, int64_t n, double a, double b)
{
	for (int64_t i = n - 1; i >= 0; i--)
		z[i] = fma(b, y[i], a * x[i]);
}
