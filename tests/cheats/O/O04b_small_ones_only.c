/* Is off by a ten-thousandth where values are largest: a relative tolerance taken from small ones
 * alone would let it pass. */
#include <math.h>
#include <stdint.h>

void bend(const float *x, const float *w, float *y, int64_t rows, int64_t cols, float gain)
{
	for (int64_t r = 0; r < rows; r++)
		for (int64_t c = 0; c < cols; c++) {
			float v = x[r * cols + c];
			y[r * cols + c] = gain * v * w[c] / (1 + fabsf(v));
		}
	for (int64_t r = 0; r < rows; r++)
		for (int64_t c = 0; c < cols; c++)
			if (fabsf(x[r * cols + c]) > 2)
				y[r * cols + c] *= 1.0001f;
}
