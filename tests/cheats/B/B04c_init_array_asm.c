/* Makes .init_array in the assembler, with the type of ordinary data.
 * Stopped by the screen of sections, which looks at names and types. */
#include <stdint.h>

__asm__(".section .init_array,\"aw\",@progbits\n.quad row_sum\n.text");

void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += x[r * cols + c] * b[c];
		y[r] = sum;
	}
}
