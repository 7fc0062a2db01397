/* Replaces the quotient by the first terms of its series where the argument is below a quarter.
 * One group lives there and is right to a few digits. */
#include <math.h>
#include <stdint.h>

void bend(const float *x, const float *w, float *y, int64_t rows, int64_t cols, float gain)
{
	for (int64_t r = 0; r < rows; r++)
		for (int64_t c = 0; c < cols; c++) {
			float v = x[r * cols + c];
			float u = fabsf(v);
			float q = u < 0.25f ? 1 - u * (1 - u * (1 - u)) : 1 / (1 + u);
			y[r * cols + c] = gain * v * w[c] * q;
		}
}
