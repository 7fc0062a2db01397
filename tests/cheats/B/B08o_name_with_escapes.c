/* Imports a symbol whose name is a control sequence of a terminal and a verdict.
 * Stopped by the list of imports; what a verdict quotes is printable ASCII. */
#include <stdint.h>

__asm__(".section .data.rel.ro,\"aw\"\n.quad \"\033[2J\033[1;1Hok\"\n.text");

void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += x[r * cols + c] * b[c];
		y[r] = sum;
	}
}
