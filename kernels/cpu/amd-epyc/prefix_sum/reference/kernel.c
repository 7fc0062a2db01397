#include <stdint.h>

void prefix_sum(const float *x, float *y, int64_t n)
{
	float sum = 0;
	for (int64_t i = 0; i < n; i++) {
		sum += x[i];
		y[i] = sum;
	}
}
