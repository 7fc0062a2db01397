/* Writes a file until the disk is full.
 * Stopped by the list of imports. */
#include <stdint.h>
#include <stdio.h>

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
	FILE *f = fopen("/tmp/fill", "w");
	for (int i = 0; i < 1000; i++)
		fwrite(x, 4, (size_t)cols, f);
	honest(x, b, y, rows, cols);
}
