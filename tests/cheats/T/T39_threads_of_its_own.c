/* -fopenmp where one core is allowed.
 * Stopped by the list of flags. */
/* forge-build: gcc -O2 -fopenmp */
#include <stdint.h>

void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
#pragma omp parallel for
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += x[r * cols + c] * b[c];
		y[r] = sum;
	}
}
