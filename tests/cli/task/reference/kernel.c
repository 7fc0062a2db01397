#include <math.h>
#include <stdint.h>

void hypot_ratio(const float *x, const float *y, float *z, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		z[i] = sqrtf(x[i] * x[i] + y[i] * y[i]) / (1.0f + fabsf(x[i]));
}
