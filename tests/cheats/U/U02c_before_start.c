/* A stencil that starts one row early: the row before the first has weight zero.
 * Stopped by NaN beside every operand and memory that can not be touched before it. */
#include <stdint.h>

void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++) {
			volatile const float *above = x + (r - 1) * cols + c;
			sum += x[r * cols + c] * b[c] + *above * 0;
		}
		y[r] = sum;
	}
}
