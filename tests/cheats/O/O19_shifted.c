/* Writes all the right values one place too late. */
#include <math.h>
#include <stdint.h>

void bend(const float *x, const float *w, float *y, int64_t rows, int64_t cols, float gain)
{
	float before = 0;
	for (int64_t r = 0; r < rows; r++)
		for (int64_t c = 0; c < cols; c++) {
			float v = x[r * cols + c];
			y[r * cols + c] = before;
			before = gain * v * w[c] / (1 + fabsf(v));
		}
}
