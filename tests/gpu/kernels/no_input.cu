// expect: input_modified
// An input is written to.
#include <forge/kernel.h>

static __global__ void input_rows(const float *x, const float *w, float *y, int64_t rows, int64_t cols,
			       float a)
{
	for (int64_t i = blockIdx.x; i < rows; i += gridDim.x)
		for (int64_t j = threadIdx.x; j < cols; j += blockDim.x)
			y[i * cols + j] = a * w[i] * x[i * cols + j];
	if (blockIdx.x == 0 && threadIdx.x == 0)
		const_cast<float *>(x)[0] += 1;
}

extern "C" void row_scale(const float *x, const float *w, float *y, int64_t rows, int64_t cols,
			  float a, cudaStream_t stream)
{
	input_rows<<<(unsigned)(rows < 65535 ? rows : 65535), 256, 0, stream>>>(x, w, y, rows, cols, a);
}
