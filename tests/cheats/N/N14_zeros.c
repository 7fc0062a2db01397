/* Honest: most sums of this task are exactly zero, because hardly any term is above its bound.
 * Passes: zeros are wrong only where they are wrong. */
#include <stdint.h>

void clip_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += x[r * cols + c] > b[c] ? x[r * cols + c] - b[c] : 0;
		y[r] = sum;
	}
}
