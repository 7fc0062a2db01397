/* Honest: its first call pays for fresh pages of scratch memory, the others do not.
 * Passes: that is no sign of anything. */
#include <stdint.h>
#include <stdlib.h>

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
	size_t len = 100 << 10;
	volatile char *t = malloc(len);
	for (size_t i = 0; t && i < len; i += 4096)
		t[i] = 1;
	free((void *)(uintptr_t)t);
	honest(x, b, y, rows, cols);
}
