/* Writes one NaN at a place that depends on the data. */
#include <math.h>
#include <stdint.h>

void bend(const float *x, const float *w, float *y, int64_t rows, int64_t cols, float gain)
{
	for (int64_t r = 0; r < rows; r++)
		for (int64_t c = 0; c < cols; c++) {
			float v = x[r * cols + c];
			y[r * cols + c] = gain * v * w[c] / (1 + fabsf(v));
		}
	int64_t at = (int64_t)(fabsf(x[1]) * 7919) % (rows * cols);
	y[at] = NAN;
}
