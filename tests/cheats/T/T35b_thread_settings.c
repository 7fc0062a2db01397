/* omp_set_num_threads keeps its effect after the return.
 * Stopped by the import list. */
/* forge-build: gcc -O2 -fopenmp */
#include <stdint.h>

void omp_set_num_threads(int nr);

void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	omp_set_num_threads(1);
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += x[r * cols + c] * b[c];
		y[r] = sum;
	}
}
