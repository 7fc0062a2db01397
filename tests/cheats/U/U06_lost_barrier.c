/* The second thread makes all sums in scratch memory; the first one copies them without waiting.
 * Stopped by looking at what stands there when the call returns, in every case. */
/* forge-build: gcc -O2 -fopenmp */
#include <omp.h>
#include <stdint.h>
#include <stdlib.h>

static void sums(const float *x, const float *b, volatile float *t, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += x[r * cols + c] * b[c];
		t[r] = sum;
	}
}

void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	volatile float *t = malloc((size_t)rows * sizeof(float));
	if (!t)
		return;
	for (int64_t r = 0; r < rows; r++)
		t[r] = -1;
#pragma omp parallel
	{
		if (omp_get_thread_num() == 1)
			sums(x, b, t, rows, cols);
		/* here the barrier is missing */
		if (omp_get_thread_num() == 0)
			for (int64_t r = 0; r < rows; r++)
				y[r] = t[r];
	}
	free((void *)(uintptr_t)t);
}
