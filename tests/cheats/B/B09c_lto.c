/* A section of intermediate code: a linker's plugin would make of it what no screen saw.
 * Stopped by the screen of sections. */
#include <stdint.h>

__asm__(".section .gnu.lto_.opts,\"e\"\n.asciz \"-fplugin=x\"\n.text");

void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += x[r * cols + c] * b[c];
		y[r] = sum;
	}
}
