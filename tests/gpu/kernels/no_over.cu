// expect: out_of_bounds
// One element behind the output is written.
#include <forge/kernel.h>

static __global__ void over_rows(const float *x, const float *w, float *y, int64_t rows, int64_t cols,
			       float a)
{
	for (int64_t i = blockIdx.x; i < rows; i += gridDim.x)
		for (int64_t j = threadIdx.x; j < cols; j += blockDim.x)
			y[i * cols + j] = a * w[i] * x[i * cols + j];
	if (blockIdx.x == 0 && threadIdx.x == 0)
		y[rows * cols] = 1;
}

extern "C" void row_scale(const float *x, const float *w, float *y, int64_t rows, int64_t cols,
			  float a, cudaStream_t stream)
{
	over_rows<<<(unsigned)(rows < 65535 ? rows : 65535), 256, 0, stream>>>(x, w, y, rows, cols, a);
}
