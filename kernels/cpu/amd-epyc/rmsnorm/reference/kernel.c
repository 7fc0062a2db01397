#include <math.h>
#include <stdint.h>

void rmsnorm(const float *x, const float *w, float *y, int64_t rows, int64_t cols, float eps)
{
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += x[r * cols + c] * x[r * cols + c];
		float scale = 1.0f / sqrtf(sum / (float)cols + eps);
		for (int64_t c = 0; c < cols; c++)
			y[r * cols + c] = x[r * cols + c] * scale * w[c];
	}
}
