#include <stdint.h>
#include <stdlib.h>

void powers(const float *x, const float *c, float *y, int64_t n, int64_t m)
{
	for (int64_t i = 0; i < n; i++)
		y[i] = x[i] * c[0] * (float)m;
	abort();
}
