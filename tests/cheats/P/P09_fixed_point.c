/* Computes in whole numbers with 14 bits after the point, enough for numbers around one: the
 * small group has few digits left. */
#include <stdint.h>

void apply(const float *a, const float *x, float *y, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++) {
		int64_t sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += (int64_t)(a[r * cols + c] * 16384) * (int64_t)(x[c] * 16384);
		y[r] = (float)sum * 0x1p-28f;
	}
}
