#include <forge/kernel.h>

void row_scale(const double *x, const double *w, double *y, int64_t rows, int64_t cols, double a)
{
	for (int64_t i = 0; i < rows; i++)
		for (int64_t j = 0; j < cols; j++)
			y[i * cols + j] = a * w[i] * x[i * cols + j];
}
