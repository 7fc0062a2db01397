/* Lets the assembler repeat a line 10^9 times.
 * Stopped by the limits of the compiler's jail. */
#include <stdint.h>

__asm__(".section .rodata\n.rept 1000000000\n.quad 1\n.endr\n.text");

void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += x[r * cols + c] * b[c];
		y[r] = sum;
	}
}
