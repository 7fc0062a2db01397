/* Takes the bytes of a file into a table by the assembler.
 * Stopped by the jail, which holds no such file, and by the assembler's own list of what it read. */
#include <stdint.h>

__asm__(".section .rodata\n.globl loot\nloot: .incbin \"/etc/passwd\"\n.text");
extern const char loot[];

void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += x[r * cols + c] * b[c];
		y[r] = sum;
	}
}
