/* A constant table of 2 GiB.
 * Stopped by the limit of an object's size. */
#include <stdint.h>

const char loot[1u << 31] = { 1 };

void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += x[r * cols + c] * b[c];
		y[r] = sum;
	}
}
