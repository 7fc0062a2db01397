/* Puts a pointer into .init_array without the word constructor.
 * Stopped by the screen of sections. */
#include <stdint.h>

static void early(void)
{
	__asm__ volatile("");
}
__attribute__((used, section(".init_array.00042"))) static void (*const start)(void) = early;

void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += x[r * cols + c] * b[c];
		y[r] = sum;
	}
}
