#include <math.h>
#include <stdint.h>

void layernorm(const float *x, const float *gamma, const float *beta, float *y, int64_t rows,
	       int64_t cols, float eps)
{
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += x[r * cols + c];
		float mean = sum / (float)cols;
		float squares = 0;
		for (int64_t c = 0; c < cols; c++)
			squares += (x[r * cols + c] - mean) * (x[r * cols + c] - mean);
		float scale = 1.0f / sqrtf(squares / (float)cols + eps);
		for (int64_t c = 0; c < cols; c++)
			y[r * cols + c] = (x[r * cols + c] - mean) * scale * gamma[c] + beta[c];
	}
}
