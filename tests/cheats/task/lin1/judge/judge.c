#include <stdint.h>

/* Column by column, from the last one on. */
void apply(const double *a, const double *x, double *y, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++)
		y[r] = 0;
	for (int64_t c = cols - 1; c >= 0; c--)
		for (int64_t r = 0; r < rows; r++)
			y[r] += a[r * cols + c] * x[c];
}
