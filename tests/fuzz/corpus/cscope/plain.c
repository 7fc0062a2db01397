/* forge-build: gcc -O3 -march=native -ffast-math */
#include <stdint.h>

/* Sixteen places at once. */
void powers(const float *x, const float *c, float *y, int64_t n, int64_t m)
{
	int64_t i = 0;
	for (; i + 16 <= n; i += 16) {
		float sum[16] = { 0 }, power[16];
		for (int k = 0; k < 16; k++)
			power[k] = 1;
		for (int64_t j = 0; j < m; j++) {
			for (int k = 0; k < 16; k++) {
				sum[k] += c[j] * power[k];
				power[k] *= x[i + k];
			}
		}
		for (int k = 0; k < 16; k++)
			y[i + k] = sum[k];
	}
	for (; i < n; i++) {
		float sum = 0, power = 1;
		for (int64_t j = 0; j < m; j++) {
			sum += c[j] * power;
			power *= x[i];
		}
		y[i] = sum;
	}
}
