/* Independent oracle: walks the output from its end and computes where each element came from. */
#include <stdint.h>

void transpose(const double *a, double *b, int64_t n, int64_t m)
{
	for (int64_t p = n * m - 1; p >= 0; p--)
		b[p] = a[p % n * m + p / n];
}
