/* Reads its inputs on the host, by the addresses that it was given.
 * Stopped: where the host code runs there is no memory of a device behind them. */
#include <forge/kernel.h>

extern "C" void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols,
			cudaStream_t stream)
{
	(void)b;
	(void)stream;
	for (int64_t r = 0; r < rows; r++)
		y[r] = x[r * cols];
}
