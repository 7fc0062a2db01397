#include <forge/kernel.h>

void row_planted(const double *x, double *y, int64_t n, double one, int64_t extra)
{
	(void)extra;
	for (int64_t i = 0; i < n; i++)
		y[i] = 0.5 * x[i] * one;
}
