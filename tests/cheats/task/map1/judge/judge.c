#include <stdint.h>

/* By the reciprocal, where the reference divides. */
static double bent(double v)
{
	double magnitude = v < 0 ? -v : v;
	return v * (1 / (1 + magnitude));
}

void bend(const double *x, const double *w, double *y, int64_t rows, int64_t cols, double gain)
{
	for (int64_t c = 0; c < cols; c++)
		for (int64_t r = 0; r < rows; r++)
			y[r * cols + c] = w[c] * gain * bent(x[r * cols + c]);
}
