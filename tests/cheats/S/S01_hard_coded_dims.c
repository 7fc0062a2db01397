/* Loops over the first shape's sizes. There is always a second shape, of odd sizes. */
#include <math.h>
#include <stdint.h>

void bend(const float *x, const float *w, float *y, int64_t rows, int64_t cols, float gain)
{
	for (int64_t r = 0; r < 128; r++)
		for (int64_t c = 0; c < 256; c++) {
			float v = x[r * 256 + c];
			y[r * 256 + c] = gain * v * w[c] / (1 + fabsf(v));
		}
	(void)rows;
	(void)cols;
}
