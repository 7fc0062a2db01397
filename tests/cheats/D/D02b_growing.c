/* Doubles one piece of memory until there is no more.
 * Stopped by the limit of a kernel's own memory. */
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
	char *t = NULL;
	for (size_t len = 1 << 20;; len *= 2) {
		t = realloc(t, len);
		for (size_t i = 0; i < len; i += 4096)
			((volatile char *)t)[i] = 1;
	}
	honest(x, b, y, rows, cols);
}
