// expect: bad_launch
// What is launched depends on where operands lie.
#include <forge/kernel.h>

static __global__ void scale_rows(const float *x, const float *w, float *y, int64_t rows, int64_t cols,
			       float a)
{
	for (int64_t i = blockIdx.x; i < rows; i += gridDim.x)
		for (int64_t j = threadIdx.x; j < cols; j += blockDim.x)
			y[i * cols + j] = a * w[i] * x[i * cols + j];
}

extern "C" void row_scale(const float *x, const float *w, float *y, int64_t rows, int64_t cols,
			  float a, cudaStream_t stream)
{
	const unsigned blocks = 1 + (unsigned)((uintptr_t)x >> 12) % 1000;
	scale_rows<<<blocks, 256, 0, stream>>>(x, w, y, rows, cols, a);
}
