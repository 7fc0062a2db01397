#include <stdint.h>

/* Pairwise sums, columns before rows. */
static double total(const double *v, int64_t nr)
{
	if (nr == 1)
		return v[0];
	return total(v, nr / 2) + total(v + nr / 2, nr - nr / 2);
}

void blend(const double *x, const double *w, double *y, int64_t rows, int64_t cols, double bias)
{
	for (int64_t c = 0; c < cols; c++)
		for (int64_t r = 0; r < rows; r++)
			y[r * cols + c] = w[c] * x[r * cols + c];
	for (int64_t r = 0; r < rows; r++) {
		double mean = total(x + r * cols, cols) / (double)cols;
		for (int64_t c = 0; c < cols; c++)
			y[r * cols + c] += mean + bias;
	}
}
