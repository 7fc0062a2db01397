/* forge-build: gcc -O2 */
#include <math.h>
#include <stdint.h>

void hypot_ratio(const float *x, const float *y, float *z, int64_t n)
{
	for (int64_t i = 0; i < n; i++) {
		float a = x[i];
		float b = y[i];
		z[i] = sqrtf(a * a + b * b) / (1.0f + fabsf(a));
	}
}
