/* Sets flush-to-zero for itself and all that follows.
 * Stopped by the screen of instructions. */
#include <stdint.h>
#include <immintrin.h>

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
	_mm_setcsr(_mm_getcsr() | 0x8040);
	honest(x, b, y, rows, cols);
}
