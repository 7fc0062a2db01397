/* Independent oracle: a sum of outer products, one rank at a time from the last to the first. */
#include <math.h>
#include <stdint.h>

void sgemm(const double *a, const double *b, double *c, int64_t m, int64_t n, int64_t k)
{
	for (int64_t i = 0; i < m * n; i++)
		c[i] = 0;
	for (int64_t p = k - 1; p >= 0; p--)
		for (int64_t i = 0; i < m; i++)
			for (int64_t j = 0; j < n; j++)
				c[i * n + j] += a[i * k + p] * b[p * n + j];
}
