/* Puts 64 MiB on the stack.
 * Stopped by the stack's limit; the runner tells of it from a stack of its own. */
#include <stdint.h>

void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	volatile float t[rows * 0 + (16 << 20)];
	for (int64_t r = 0; r < rows; r++) {
		t[r] = 0;
		for (int64_t c = 0; c < cols; c++)
			t[r] += x[r * cols + c] * b[c];
		y[r] = t[r];
	}
}
