/* Takes the scale from the first row only and clamps what is larger. */
#include <math.h>
#include <stdint.h>

void apply(const float *a, const float *x, float *y, int64_t rows, int64_t cols)
{
	float top = 1e-30f;
	for (int64_t c = 0; c < cols; c++)
		top = fmaxf(top, fabsf(a[c]));
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += fmaxf(-top, fminf(top, rintf(a[r * cols + c] / top * 1024) / 1024 * top)) * x[c];
		y[r] = sum;
	}
}
