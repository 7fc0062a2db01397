// expect: crashed
// The host function ends its process before it launches, as if all were well.
#include <forge/kernel.h>
#include <stdlib.h>

__device__ float scaled(float a, float w, float x)
{
	return a * w * x;
}

static __global__ void scale_rows(const float *x, const float *w, float *y, int64_t rows, int64_t cols,
			       float a)
{
	for (int64_t i = blockIdx.x; i < rows; i += gridDim.x)
		for (int64_t j = threadIdx.x; j < cols; j += blockDim.x)
			y[i * cols + j] = scaled(a, w[i], x[i * cols + j]);
}

extern "C" void row_scale(const float *x, const float *w, float *y, int64_t rows, int64_t cols,
			  float a, cudaStream_t stream)
{
	if (rows > 0)
		exit(0);
	scale_rows<<<(unsigned)(rows < 65535 ? rows : 65535), 256, 0, stream>>>(x, w, y, rows, cols, a);
}
