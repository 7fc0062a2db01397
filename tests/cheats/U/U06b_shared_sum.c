/* Both threads add to the same sums without an atomic operation.
 * Stopped by values: some additions are lost in every case. */
/* forge-build: gcc -O2 -fopenmp */
#include <omp.h>
#include <stdint.h>

void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	volatile float *sums = y;
	for (int64_t r = 0; r < rows; r++)
		sums[r] = 0;
#pragma omp parallel
	for (int64_t c = omp_get_thread_num(); c < cols; c += 2)
		for (int64_t r = 0; r < rows; r++)
			sums[r] = sums[r] + x[r * cols + c] * b[c];
}
