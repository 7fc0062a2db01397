/* Calls a fixed address by an absolute symbol.
 * Harmless: addresses differ in every process, and there is no code there. */
#include <stdint.h>

__asm__(".set target,0x401000\n.type caller,@function\ncaller: call target\nret\n");

void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += x[r * cols + c] * b[c];
		y[r] = sum;
	}
}
