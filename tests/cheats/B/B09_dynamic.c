/* Brings a .dynamic section that names a library to load.
 * Stopped by the screen of sections. */
#include <stdint.h>

__asm__(".section .dynamic,\"a\"\n.quad 1,1\n.text");

void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += x[r * cols + c] * b[c];
		y[r] = sum;
	}
}
