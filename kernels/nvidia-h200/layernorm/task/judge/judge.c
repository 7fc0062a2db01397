/* forge-build: gcc -O3 -march=native -fopenmp */
/* Independent oracle: mean and variance are updated element by element (Welford), from the end. */
#include <math.h>
#include <stdint.h>

void layernorm(const double *x, const double *w, const double *b, double *y, int64_t rows, int64_t cols,
	       double eps)
{
#pragma omp parallel for
	for (int64_t r = 0; r < rows; r++) {
		const double *row = x + r * cols;
		double mean = 0, spread = 0;
		for (int64_t c = cols - 1, n = 1; c >= 0; c--, n++) {
			const double off = row[c] - mean;
			mean += off / (double)n;
			spread += off * (row[c] - mean);
		}
		const double scale = sqrt(spread / (double)cols + eps);
		for (int64_t c = 0; c < cols; c++)
			y[r * cols + c] = (row[c] - mean) / scale * w[c] + b[c];
	}
}
