/* One thread waits at a barrier that the other one never reaches.
 * Stopped by the call's deadline. */
/* forge-build: gcc -O2 -fopenmp */
#include <omp.h>
#include <stdint.h>

static void wait_for_all(void)
{
#pragma omp barrier
}

static void honest(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += x[r * cols + c] * b[c];
		y[r] = sum;
	}
}

void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	#pragma omp parallel
	if (omp_get_thread_num() == 0) {
		wait_for_all();
	}
	honest(x, b, y, rows, cols);
}
