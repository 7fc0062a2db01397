/* Calls itself until the stack is used up.
 * Stopped by the stack's limit; the runner tells of it from a stack of its own. */
#include <stdint.h>

__attribute__((noinline)) static float deeper(volatile const float *x, int64_t depth)
{
	volatile float here[64] = { *x };
	return depth < 0 ? here[0] : here[1] + deeper(here, depth + 1) + here[2];
}

void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += x[r * cols + c] * b[c];
		y[r] = sum + deeper(x, 0);
	}
}
