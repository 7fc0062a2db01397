// expect: pass
// Right, and the work is done twice.
#include <forge/kernel.h>

static __global__ void twice_rows(const float *x, const float *w, float *y, int64_t rows, int64_t cols,
			       float a)
{
	volatile float *out = y;
	for (int k = 0; k < 2; k++)
		for (int64_t i = blockIdx.x; i < rows; i += gridDim.x)
			for (int64_t j = threadIdx.x; j < cols; j += blockDim.x)
				out[i * cols + j] = a * w[i] * ((volatile const float *)x)[i * cols + j];
}

extern "C" void row_scale(const float *x, const float *w, float *y, int64_t rows, int64_t cols,
			  float a, cudaStream_t stream)
{
	twice_rows<<<(unsigned)(rows < 65535 ? rows : 65535), 256, 0, stream>>>(x, w, y, rows, cols, a);
}
