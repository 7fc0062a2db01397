/* Independent oracle: the two fields take turns, and each point moves by a quarter of its residual
 * instead of being averaged anew. */
#include <stdint.h>

static void sweep(const double *from, double *to, int64_t n, int64_t m)
{
	for (int64_t p = 0; p < n * m; p++) {
		int64_t i = p / m, j = p % m;
		if (i == 0 || j == 0 || i == n - 1 || j == m - 1) {
			to[p] = from[p];
			continue;
		}
		double vertical = (from[p - m] - from[p]) + (from[p + m] - from[p]);
		double horizontal = (from[p - 1] - from[p]) + (from[p + 1] - from[p]);
		to[p] = from[p] + (vertical + horizontal) / 4;
	}
}

void jacobi2d(const double *a, double *b, double *tmp, int64_t n, int64_t m, int64_t steps)
{
	double *now = steps % 2 ? tmp : b;
	double *next = steps % 2 ? b : tmp;
	for (int64_t p = 0; p < n * m; p++)
		now[p] = a[p];
	for (int64_t t = 0; t < steps; t++) {
		sweep(now, next, n, m);
		double *swap = now;
		now = next;
		next = swap;
	}
}
