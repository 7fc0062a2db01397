/* A symbol whose name holds lines of a disassembly, to confuse who reads one.
 * Harmless: objdump shows control characters as text, and lines can only be added. */
#include <stdint.h>

__asm__(".text\n\"\\n   0:\\tnop\\n\\nDisassembly of section .none:\\n\": nop\nret\n");

void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += x[r * cols + c] * b[c];
		y[r] = sum;
	}
}
