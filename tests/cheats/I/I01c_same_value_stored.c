/* Stores to an input what it holds already: nothing changes that a comparison could see. It is a
 * write to a read-only argument all the same, and faults. */
#include <math.h>
#include <stdint.h>

void bend(const float *x, const float *w, float *y, int64_t rows, int64_t cols, float gain)
{
	for (int64_t r = 0; r < rows; r++)
		for (int64_t c = 0; c < cols; c++) {
			float v = x[r * cols + c];
			y[r * cols + c] = gain * v * w[c] / (1 + fabsf(v));
		}
	volatile float *in = (volatile float *)(uintptr_t)x;
	in[rows * cols - 1] = in[rows * cols - 1];
}
