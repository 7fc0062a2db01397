/* A million instructions that nobody calls, to be disassembled and counted.
 * Harmless within the limits of the toolbox, refused beyond. */
#include <stdint.h>

__asm__(".text\n.rept 1000000\nadd %rax,%rcx\n.endr\nret");

void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += x[r * cols + c] * b[c];
		y[r] = sum;
	}
}
