// expect: pass
// More shared memory than a launch gets unasked.
#include <forge/kernel.h>

static __global__ void scale_rows(const float *x, const float *w, float *y, int64_t rows, int64_t cols,
			       float a)
{
	extern __shared__ float row[];
	for (int64_t i = blockIdx.x; i < rows; i += gridDim.x)
		for (int64_t j = threadIdx.x; j < cols; j += blockDim.x) {
			row[threadIdx.x] = x[i * cols + j];
			y[i * cols + j] = a * w[i] * row[threadIdx.x];
		}
}

extern "C" void row_scale(const float *x, const float *w, float *y, int64_t rows, int64_t cols,
			  float a, cudaStream_t stream)
{
	const int bytes = 96 * 1024;
	cudaFuncSetAttribute(scale_rows, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
	scale_rows<<<(unsigned)(rows < 65535 ? rows : 65535), 256, bytes, stream>>>(x, w, y, rows, cols,
										    a);
}
