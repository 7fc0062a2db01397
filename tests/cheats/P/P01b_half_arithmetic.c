/* Computes in half precision and widens at the end. Errors are a thousand times those of the
 * reference, and wide values overflow. */
#include <stdint.h>

void bend(const float *x, const float *w, float *y, int64_t rows, int64_t cols, float gain)
{
	for (int64_t r = 0; r < rows; r++)
		for (int64_t c = 0; c < cols; c++) {
			_Float16 v = (_Float16)x[r * cols + c];
			_Float16 d = (_Float16)(1 + (v < 0 ? -v : v));
			y[r * cols + c] = (float)((_Float16)gain * v * (_Float16)w[c] / d);
		}
}
