#include <math.h>
#include <stdint.h>

/* The same result, computed once: the volatile keeps each of them. */
enum { TIMES = 1 };

void hypot_ratio(const float *x, const float *y, float *z, int64_t n)
{
	for (int64_t i = 0; i < n; i++) {
		volatile float a = x[i];
		volatile float r = 0;
		for (int k = 0; k < TIMES; k++)
			r = sqrtf(a * a + y[i] * y[i]) / (1.0f + fabsf(a));
		z[i] = r;
	}
}
