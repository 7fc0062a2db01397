/* Is off by four millionths in one row: nothing over the whole output, and too much for a row of
 * a reference that errs by less. */
#include <math.h>
#include <stdint.h>

void bend(const float *x, const float *w, float *y, int64_t rows, int64_t cols, float gain)
{
	for (int64_t r = 0; r < rows; r++)
		for (int64_t c = 0; c < cols; c++) {
			float v = x[r * cols + c];
			y[r * cols + c] = gain * v * w[c] / (1 + fabsf(v));
		}
	for (int64_t c = 0; c < cols; c++)
		y[rows / 2 * cols + c] *= 1.000004f;
}
