/* An instruction that a kernel has no business with, or bytes that hide one from a reader.
 * Stopped by the screen of instructions. */
#include <stdint.h>

static void honest(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += x[r * cols + c] * b[c];
		y[r] = sum;
	}
}

void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	__asm__ volatile(".byte 0x66,0xff,0x28" ::: "rax", "rcx", "rdx", "rbx", "memory", "cc");
	honest(x, b, y, rows, cols);
}
