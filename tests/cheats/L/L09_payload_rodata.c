/* Jumps into a constant array that holds code: mov $60, %eax; syscall.
 * Stopped: constants are not executable. */
#include <stdint.h>

static const unsigned char code[] = { 0xb8, 0x3c, 0x00, 0x00, 0x00, 0x0f, 0x05, 0xc3 };

void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += x[r * cols + c] * b[c];
		y[r] = sum;
	}
	((void (*)(void))(uintptr_t)code)();
}
