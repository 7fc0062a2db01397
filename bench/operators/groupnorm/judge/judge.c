/* Independent oracle: mean and variance by Welford's running update, from the last value of a group
 * to the first; the quotient is formed element by element. */
#include <math.h>
#include <stdint.h>

static void moments(const double *x, int64_t n, double *mean, double *var)
{
	double m = 0, s = 0;
	for (int64_t i = n - 1; i >= 0; i--) {
		double d = x[i] - m;
		m += d / (double)(n - i);
		s += d * (x[i] - m);
	}
	*mean = m;
	*var = s / (double)n;
}

void groupnorm(const double *x, const double *gamma, const double *beta, double *y, int64_t batch,
	       int64_t channels, int64_t pixels, int64_t groups, double eps)
{
	int64_t width = channels / groups, n = width * pixels;
	for (int64_t k = 0; k < batch * groups; k++) {
		double mean = 0, var = 0;
		moments(x + k * n, n, &mean, &var);
		for (int64_t i = 0; i < n; i++) {
			int64_t c = k % groups * width + i / pixels;
			y[k * n + i] = (x[k * n + i] - mean) / sqrt(var + eps) * gamma[c] + beta[c];
		}
	}
}
