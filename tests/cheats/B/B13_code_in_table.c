/* Calls bytes of a constant table as if they were code.
 * Stopped by the link: constants are not executable. */
#include <stdint.h>

static const unsigned char code[] = { 0x0f, 0x05, 0xc3 };

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
	((void (*)(void))(uintptr_t)code)();
	honest(x, b, y, rows, cols);
}
