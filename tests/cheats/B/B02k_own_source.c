/* Takes its own source in as data. That is the one file it may read.
 * Harmless: it knows what it says. */
#include <stdint.h>

__asm__(".section .rodata\n.incbin \"kernel.c\"\n.text");

void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += x[r * cols + c] * b[c];
		y[r] = sum;
	}
}
