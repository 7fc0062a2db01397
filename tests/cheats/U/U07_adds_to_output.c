/* Never sets y to zero before it adds: in a fresh process that memory often is zero.
 * Stopped by poison in every output before every call. */
#include <stdint.h>

void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++)
		for (int64_t c = 0; c < cols; c++)
			y[r] += x[r * cols + c] * b[c];
}
