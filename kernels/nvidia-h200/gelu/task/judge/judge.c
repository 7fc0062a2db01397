/* forge-build: gcc -O3 -march=native -fopenmp */
/* Independent oracle: by the complement of the error function, which keeps its digits where the
 * result is small. */
#include <math.h>
#include <stdint.h>

void gelu(const double *x, double *y, int64_t rows, int64_t cols)
{
	const double root_of_half = 0.70710678118654752440;
#pragma omp parallel for
	for (int64_t i = 0; i < rows * cols; i++)
		y[i] = 0.5 * x[i] * erfc(-x[i] * root_of_half);
}
