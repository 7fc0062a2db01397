/* Reads 4 KiB past the end of x and multiplies what is there by zero.
 * Stopped by memory that can not be touched on both sides of every operand. */
#include <stdint.h>

void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += x[r * cols + c] * b[c];
		volatile const float *beyond = x + rows * cols + 1024;
		y[r] = sum + *beyond * 0;
	}
}
