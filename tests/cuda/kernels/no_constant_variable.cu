// expect: writable_static
// Constant memory that the host could fill.
#include <forge/kernel.h>

__constant__ float table[4];
static __global__ void scale(const float *x, float *y, int64_t n, float s)
{
	int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] = x[i] * s + table[i % 4];
}

extern "C" void kernel(const float *x, float *y, int64_t n, float s, cudaStream_t stream)
{
	scale<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(x, y, n, s);
}
