/* The host function never returns.
 * Stopped: it has a deadline where it is recorded. */
#include <forge/kernel.h>

extern "C" void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols,
			cudaStream_t stream)
{
	(void)x;
	(void)b;
	(void)y;
	(void)rows;
	(void)cols;
	(void)stream;
	for (volatile int i = 0;; i++)
		continue;
}
