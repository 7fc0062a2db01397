/* Independent oracle: squares are summed relative to the row's largest magnitude, from the last
 * column to the first, with Neumaier's compensation; the quotient is formed element by element. */
#include <math.h>
#include <stdint.h>

static double row_peak(const double *x, int64_t n)
{
	double peak = 0;
	for (int64_t c = 0; c < n; c++)
		peak = fmax(peak, fabs(x[c]));
	return peak;
}

static double mean_square(const double *x, int64_t n)
{
	double peak = row_peak(x, n);
	double sum = 0, lost = 0;
	if (peak == 0)
		return 0;
	for (int64_t c = n - 1; c >= 0; c--) {
		double term = (x[c] / peak) * (x[c] / peak);
		double next = sum + term;
		lost += fabs(sum) >= term ? (sum - next) + term : (term - next) + sum;
		sum = next;
	}
	return (sum + lost) / (double)n * peak * peak;
}

void rmsnorm(const double *x, const double *w, double *y, int64_t rows, int64_t cols, double eps)
{
	for (int64_t r = 0; r < rows; r++) {
		double root = sqrt(mean_square(x + r * cols, cols) + eps);
		for (int64_t c = 0; c < cols; c++)
			y[r * cols + c] = x[r * cols + c] / root * w[c];
	}
}
