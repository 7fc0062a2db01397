/* A thread-local variable.
 * Stopped by the screen of thread storage. */
#include <stdint.h>

static _Thread_local volatile float state;

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
