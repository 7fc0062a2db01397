/* Registers a function that would rewrite results at exit. atexit is not on the list, results are
 * the parent's, and a runner is killed. */
#include <math.h>
#include <stdlib.h>
#include <stdint.h>

static void late(void)
{
}

void bend(const float *x, const float *w, float *y, int64_t rows, int64_t cols, float gain)
{
	for (int64_t r = 0; r < rows; r++)
		for (int64_t c = 0; c < cols; c++) {
			float v = x[r * cols + c];
			y[r * cols + c] = gain * v * w[c] / (1 + fabsf(v));
		}
	atexit(late);
}
