/* Asks for the copy of another object's data.
 * Stopped by the screen of relocations. */
#include <stdint.h>

__asm__(".section .data.rel.ro,\"aw\"\nslot: .quad 0\n.reloc slot, R_X86_64_COPY, row_sum\n.text");

void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += x[r * cols + c] * b[c];
		y[r] = sum;
	}
}
