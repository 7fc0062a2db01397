/* forge-build: gcc -O3 -march=native -fopenmp */
/* Independent oracle: products of 128 are summed from the last to the first and scaled as a sum. */
#include <stdint.h>

static double part(const double *a, const double *b, int64_t from)
{
	double sum = 0;
	for (int64_t p = from + 127; p >= from; p--)
		sum += a[p] * b[p];
	return sum;
}

void fp8_gemm(const double *a, const double *a_scale, const double *b, const double *b_scale, double *c,
	      int64_t m, int64_t n, int64_t k)
{
#pragma omp parallel for schedule(dynamic)
	for (int64_t i = 0; i < m; i++) {
		for (int64_t j = 0; j < n; j++) {
			double sum = 0;
			for (int64_t g = k / 128 - 1; g >= 0; g--)
				sum += a_scale[g * m + i] * b_scale[j / 128 * (k / 128) + g] *
				       part(a + i * k, b + j * k, g * 128);
			c[i * n + j] = sum;
		}
	}
}
