#include <stdint.h>

void jacobi2d(const float *a, float *b, float *tmp, int64_t n, int64_t m, int64_t steps)
{
	for (int64_t i = 0; i < n; i++)
		for (int64_t j = 0; j < m; j++)
			b[i * m + j] = a[i * m + j];
	for (int64_t t = 0; t < steps; t++) {
		for (int64_t i = 1; i < n - 1; i++)
			for (int64_t j = 1; j < m - 1; j++)
				tmp[i * m + j] = 0.25f * (b[(i - 1) * m + j] + b[(i + 1) * m + j] +
							  b[i * m + j - 1] + b[i * m + j + 1]);
		for (int64_t i = 1; i < n - 1; i++)
			for (int64_t j = 1; j < m - 1; j++)
				b[i * m + j] = tmp[i * m + j];
	}
}
