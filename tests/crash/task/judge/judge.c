/* Independent oracle: Horner's rule from the highest coefficient down. */
#include <stdint.h>

void powers(const double *x, const double *c, double *y, int64_t n, int64_t m)
{
	for (int64_t i = 0; i < n; i++) {
		double value = c[m - 1];
		for (int64_t j = m - 2; j >= 0; j--)
			value = value * x[i] + c[j];
		y[i] = value;
	}
}
