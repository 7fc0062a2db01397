/* Fills the columns beyond a multiple of eight with the values before them: written, but wrong. */
#include <math.h>
#include <stdint.h>

void bend(const float *x, const float *w, float *y, int64_t rows, int64_t cols, float gain)
{
	for (int64_t r = 0; r < rows; r++)
		for (int64_t c = 0; c < cols / 8 * 8; c++) {
			float v = x[r * cols + c];
			y[r * cols + c] = gain * v * w[c] / (1 + fabsf(v));
		}
	for (int64_t r = 0; r < rows; r++)
		for (int64_t c = cols / 8 * 8; c < cols; c++)
			y[r * cols + c] = y[r * cols + c - 8];
}
