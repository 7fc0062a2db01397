#include <stdint.h>

/* The difference first, whichever sign it has. */
void clip_sum(const double *x, const double *b, double *y, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++) {
		double sum = 0;
		for (int64_t c = 0; c < cols; c++) {
			double over = x[r * cols + c] - b[c];
			sum += over > 0 ? over : 0;
		}
		y[r] = sum;
	}
}
