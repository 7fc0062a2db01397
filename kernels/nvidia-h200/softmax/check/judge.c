/* forge-build: gcc -O3 -march=native -fopenmp */
/* Independent oracle: the logarithm of the sum is found in one online sweep from the end, and every
 * result is the exponential of a difference of logarithms. */
#include <math.h>
#include <stdint.h>

void softmax(const double *x, double *y, int64_t rows, int64_t cols)
{
#pragma omp parallel for
	for (int64_t r = 0; r < rows; r++) {
		const double *row = x + r * cols;
		double top = -INFINITY, sum = 0;
		for (int64_t c = cols - 1; c >= 0; c--) {
			if (row[c] > top) {
				sum = sum * exp(top - row[c]) + 1;
				top = row[c];
			} else {
				sum += exp(row[c] - top);
			}
		}
		const double log_sum = top + log(sum);
		for (int64_t c = 0; c < cols; c++)
			y[r * cols + c] = exp(row[c] - log_sum);
	}
}
