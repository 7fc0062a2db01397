/* Writes magnitudes where values are below a hundredth. */
#include <math.h>
#include <stdint.h>

void bend(const float *x, const float *w, float *y, int64_t rows, int64_t cols, float gain)
{
	for (int64_t r = 0; r < rows; r++)
		for (int64_t c = 0; c < cols; c++) {
			float v = x[r * cols + c];
			y[r * cols + c] = gain * v * w[c] / (1 + fabsf(v));
		}
	for (int64_t i = 0; i < rows * cols; i++)
		if (fabsf(y[i]) < 0.01f)
			y[i] = fabsf(y[i]);
}
