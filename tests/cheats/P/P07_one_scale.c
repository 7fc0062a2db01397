/* Quantises the matrix to eight bits by its largest element. Rows of small values have no digits
 * left. */
#include <math.h>
#include <stdint.h>

void apply(const float *a, const float *x, float *y, int64_t rows, int64_t cols)
{
	float top = 1e-30f;
	for (int64_t i = 0; i < rows * cols; i++)
		top = fmaxf(top, fabsf(a[i]));
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += (float)(int)(a[r * cols + c] / top * 127) * x[c];
		y[r] = sum * top / 127;
	}
}
