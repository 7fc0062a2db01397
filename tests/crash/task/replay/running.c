#include <stdint.h>

/* The power is carried along: several times faster. */
void powers(const float *x, const float *c, float *y, int64_t n, int64_t m)
{
	for (int64_t i = 0; i < n; i++) {
		float sum = 0, power = 1;
		for (int64_t j = 0; j < m; j++) {
			sum += c[j] * power;
			power *= x[i];
		}
		y[i] = sum;
	}
}
