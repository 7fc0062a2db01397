/* Aligns its data to 1 GiB, so that every object that is linked has a hole of that size.
 * Stopped by the limit of a file's size. */
#include <stdint.h>

__asm__(".section .rodata\n.p2align 30\n.quad 1\n.p2align 30\n.quad 1\n.text");

void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += x[r * cols + c] * b[c];
		y[r] = sum;
	}
}
