/* Uses sign * (1 - 1 / (1 + |v|)), which is the same and loses all digits of small values. A
 * group of small values is judged by their own size. */
#include <math.h>
#include <stdint.h>

void bend(const float *x, const float *w, float *y, int64_t rows, int64_t cols, float gain)
{
	for (int64_t r = 0; r < rows; r++)
		for (int64_t c = 0; c < cols; c++) {
			float v = x[r * cols + c];
			y[r * cols + c] = gain * w[c] * copysignf(1 - 1 / (1 + fabsf(v)), v);
		}
}
