/* The implementation to beat: plain, readable, obviously right. */
#include <stdint.h>

void @NAME@(const float *x, const float *y, float *z, int64_t n, float a, float b)
{
	for (int64_t i = 0; i < n; i++)
		z[i] = a * x[i] + b * y[i];
}
