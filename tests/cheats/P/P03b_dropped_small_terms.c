/* Skips terms whose operand is small. Each is nothing beside the sum, all of them together are
 * not. */
#include <math.h>
#include <stdint.h>

void apply(const float *a, const float *x, float *y, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			if (fabsf(x[c]) > 0.01f)
				sum += a[r * cols + c] * x[c];
		y[r] = sum;
	}
}
