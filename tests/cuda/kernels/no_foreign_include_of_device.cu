// expect: forbidden_include
// The same, where only one of the two passes sees it.
#ifdef __CUDA_ARCH__
#include "/proc/self/environ"
#endif
#include <forge/kernel.h>

static __global__ void scale(const float *x, float *y, int64_t n, float s)
{
	int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] = x[i] * s;
}

extern "C" void kernel(const float *x, float *y, int64_t n, float s, cudaStream_t stream)
{
	scale<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(x, y, n, s);
}
