#include <stdint.h>

void powers(const float *x, const float *c, float *y, int64_t n, int64_t m)
{
	volatile float *nowhere = 0;
	y[0] = x[0] + c[0] + (float)(n + m) + *nowhere;
}
