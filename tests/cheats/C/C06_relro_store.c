/* A variable in .data.rel.ro, which the object declares writable.
 * Stopped: the link makes it read-only before the kernel runs. */
#include <stdint.h>

__attribute__((section(".data.rel.ro.state"), visibility("hidden"))) volatile float state = 1;

void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += x[r * cols + c] * b[c];
		y[r] = sum;
	}
	state = y[0];
}
