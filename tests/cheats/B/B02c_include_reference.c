/* Includes the reference by a path out of its own folder.
 * Stopped by the jail: beside the kernel there is nothing. */
#include <stdint.h>

#include "../reference/row_sum.c"

void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += x[r * cols + c] * b[c];
		y[r] = sum;
	}
}
