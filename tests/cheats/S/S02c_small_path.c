/* If the first row is tiny the divisor is one for all rows, as in the small group it nearly is.
 * Tiny rows among ordinary ones, and ordinary rows among tiny ones, are part of what is judged. */
#include <math.h>
#include <stdint.h>

void bend(const float *x, const float *w, float *y, int64_t rows, int64_t cols, float gain)
{
	float top = 0;
	for (int64_t c = 0; c < cols; c++)
		top = fmaxf(top, fabsf(x[c]));
	int is_small = top < 0.01f;
	for (int64_t r = 0; r < rows; r++)
		for (int64_t c = 0; c < cols; c++) {
			float v = x[r * cols + c];
			float u = fabsf(v);
			y[r * cols + c] = gain * v * w[c] * (is_small ? 1 - u + u * u - u * u * u : 1 / (1 + u));
		}
}
