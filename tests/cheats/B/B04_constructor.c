/* Code that runs when the object is loaded, before anybody watches.
 * Stopped by the screen of sections; the runner looks again before it loads. */
#include <stdint.h>

__attribute__((constructor)) static void early(void)
{
	__asm__ volatile("");
}

void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += x[r * cols + c] * b[c];
		y[r] = sum;
	}
}
