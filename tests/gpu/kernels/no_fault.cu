// expect: crashed
// An address that is nobody's.
#include <forge/kernel.h>

static __global__ void fault_rows(const float *x, const float *w, float *y, int64_t rows, int64_t cols,
			       float a)
{
	if (threadIdx.x == 0)
		*(volatile float *)(y + (1LL << 44)) = a * w[0] * x[0];
}

extern "C" void row_scale(const float *x, const float *w, float *y, int64_t rows, int64_t cols,
			  float a, cudaStream_t stream)
{
	fault_rows<<<(unsigned)(rows < 65535 ? rows : 65535), 256, 0, stream>>>(x, w, y, rows, cols, a);
}
