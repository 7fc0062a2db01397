#include <stdint.h>

void window_mean(const float *x, float *y, int64_t n, int64_t w)
{
	for (int64_t i = 0; i < n; i++) {
		float sum = 0;
		for (int64_t k = 0; k < w; k++)
			sum += x[i + k];
		y[i] = sum / (float)w;
	}
}
