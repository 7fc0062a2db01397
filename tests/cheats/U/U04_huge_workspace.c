/* Takes 8 GiB for a table of partial products and fills it.
 * Stopped by the limit of a kernel's own memory. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	size_t len = (size_t)8 << 30;
	float *volatile table = malloc(len);
	memset(table, 1, len);
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += x[r * cols + c] * b[c];
		y[r] = sum + 0 * table[r];
	}
	free(table);
}
