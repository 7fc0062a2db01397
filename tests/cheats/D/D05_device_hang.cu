/* A kernel waits for a flag that nobody sets.
 * Stopped: each sample has a deadline; the process that holds the device is killed. */
#include <forge/kernel.h>

static __global__ void wait_for_ever(volatile float *y)
{
	while (y[0] != 12345.0f)
		continue;
}

extern "C" void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols,
			cudaStream_t stream)
{
	(void)x;
	(void)b;
	(void)rows;
	(void)cols;
	wait_for_ever<<<1, 1, 0, stream>>>(y);
}
