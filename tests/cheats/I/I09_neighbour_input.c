/* Reads beyond the end of its input in the hope of other operands or an expected output. Beside
 * every operand lies memory that nobody may touch. */
#include <stdint.h>

void apply(const float *a, const float *x, float *y, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += a[r * cols + c] * x[c];
		y[r] = sum;
	}
	y[0] += 0 * a[rows * cols + 1024];
}
