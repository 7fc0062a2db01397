/* Writes the right answer and then divides by zero: a harness that compares before it asks how
 * the call ended would pass it. An answer counts only from a call that returned. */
#include <math.h>
#include <stdint.h>

void bend(const float *x, const float *w, float *y, int64_t rows, int64_t cols, float gain)
{
	for (int64_t r = 0; r < rows; r++)
		for (int64_t c = 0; c < cols; c++) {
			float v = x[r * cols + c];
			y[r * cols + c] = gain * v * w[c] / (1 + fabsf(v));
		}
	volatile int64_t none = rows - rows;
	y[0] += (float)(cols / none);
}
