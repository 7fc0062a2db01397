/* forge-build: gcc -O3 -march=native -fopenmp */
/* Independent oracle: the mean of squares is found by pairwise halves of the row, from its end, and
 * the result is a quotient and not a product with a reciprocal. */
#include <math.h>
#include <stdint.h>

static double sum_of_squares(const double *row, int64_t n)
{
	double sum = 0;
	if (n > 64)
		return sum_of_squares(row + n / 2, n - n / 2) + sum_of_squares(row, n / 2);
	for (int64_t i = n - 1; i >= 0; i--)
		sum = fma(row[i], row[i], sum);
	return sum;
}

void rmsnorm(const double *x, const double *w, double *y, int64_t rows, int64_t cols, double eps)
{
#pragma omp parallel for
	for (int64_t r = 0; r < rows; r++) {
		const double *row = x + r * cols;
		const double scale = sqrt(sum_of_squares(row, cols) / (double)cols + eps);
		for (int64_t c = 0; c < cols; c++)
			y[r * cols + c] = row[c] * w[c] / scale;
	}
}
