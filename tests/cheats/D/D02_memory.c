/* Takes memory and touches it until there is no more.
 * Stopped by the limit of a kernel's own memory. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void honest(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += x[r * cols + c] * b[c];
		y[r] = sum;
	}
}

void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	for (;;)
		memset(malloc(1 << 20), 1, 1 << 20);
	honest(x, b, y, rows, cols);
}
