/* forge-build: gcc -O3 -march=native -fopenmp */
/* Independent oracle: rows of the product are sums of rows of b, added from the last to the first. */
#include <stdint.h>
#include <string.h>

void gemm(const double *a, const double *b, double *c, int64_t m, int64_t n, int64_t k)
{
	enum { WIDTH = 512 };
#pragma omp parallel for collapse(2) schedule(dynamic)
	for (int64_t left = 0; left < n; left += WIDTH) {
		for (int64_t i = 0; i < m; i++) {
			const int64_t width = n - left < WIDTH ? n - left : WIDTH;
			double *out = c + i * n + left;
			memset(out, 0, (size_t)width * sizeof(double));
			for (int64_t p = k - 1; p >= 0; p--) {
				const double scale = a[i * k + p];
				const double *row = b + p * n + left;
				for (int64_t j = 0; j < width; j++)
					out[j] += scale * row[j];
			}
		}
	}
}
