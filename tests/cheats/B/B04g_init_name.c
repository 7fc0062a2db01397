/* A function called _init: a linker makes it DT_INIT.
 * Stopped by the screen of symbols, and by linking with another name. */
#include <stdint.h>

void _init(void)
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
