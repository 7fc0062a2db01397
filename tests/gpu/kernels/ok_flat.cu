// expect: pass
// Every element by itself, one thread for each.
#include <forge/kernel.h>

static __global__ void scale_rows_flat(const float *x, const float *w, float *y, int64_t rows, int64_t cols,
			       float a)
{
	const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
	if (i < rows * cols)
		y[i] = a * w[i / cols] * x[i];
}

extern "C" void row_scale(const float *x, const float *w, float *y, int64_t rows, int64_t cols,
			  float a, cudaStream_t stream)
{
	scale_rows_flat<<<(unsigned)((rows * cols + 511) / 512), 512, 0, stream>>>(x, w, y, rows, cols,
										   a);
}
