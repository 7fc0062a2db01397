// expect: pass
// A grid that fills the device, asked of the runtime.
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
	int device = 0;
	int nr_sm = 0;
	int blocks = 0;
	cudaGetDevice(&device);
	cudaDeviceGetAttribute(&nr_sm, cudaDevAttrMultiProcessorCount, device);
	cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, scale_rows, 256, 0);
	scale_rows<<<(unsigned)(nr_sm * blocks), 256, 0, stream>>>(x, w, y, rows, cols, a);
}
