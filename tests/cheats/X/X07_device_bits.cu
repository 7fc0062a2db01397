/* Gives out what an earlier owner of the memory left in its workspace.
 * Stopped: workspaces are poisoned before each call. */
#include <forge/kernel.h>

static __global__ void sums(const float *x, const float *b, float *y, float *w, int64_t rows, int64_t cols)
{
	const int64_t r = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
	if (r < rows)
		y[r] = w[r];
	(void)x;
	(void)b;
	(void)cols;
}

extern "C" void row_sum(const float *x, const float *b, float *y, float *w, int64_t rows, int64_t cols,
			cudaStream_t stream)
{
	sums<<<(unsigned)((rows + 255) / 256), 256, 0, stream>>>(x, b, y, w, rows, cols);
}
