/* forge-build: gcc -O3 -march=native -fno-math-errno */
#include <math.h>
#include <stdint.h>

/* Forgets the remainder. */
void hypot_ratio(const float *x, const float *y, float *z, int64_t n)
{
	for (int64_t i = 0; i < n / 8 * 8; i++)
		z[i] = sqrtf(x[i] * x[i] + y[i] * y[i]) / (1.0f + fabsf(x[i]));
}
