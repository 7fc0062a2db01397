/* The same by the assembler, with a label that leaves no name.
 * Stopped by the screen of symbols: the assembler has to keep this one. */
#include <stdint.h>

__asm__(".text\n.type .Lpick,@gnu_indirect_function\n.Lpick: lea row_sum(%rip),%rax\nret\n.type caller,@function\ncaller: jmp .Lpick@PLT\n");

void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += x[r * cols + c] * b[c];
		y[r] = sum;
	}
}
