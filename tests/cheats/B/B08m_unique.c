/* A symbol that the loader would make one for the whole process.
 * Stopped by the screen of symbols. */
#include <stdint.h>

__asm__(".section .data.rel.ro,\"aw\"\n.type one,@gnu_unique_object\n.globl one\none: .quad row_sum\n.size one,8\n.text");

void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += x[r * cols + c] * b[c];
		y[r] = sum;
	}
}
