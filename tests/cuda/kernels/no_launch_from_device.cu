// expect: compile_failed
// Launches from the device need the device runtime.
#include <forge/kernel.h>

static __global__ void inner(float *y) { y[0] = 1; }
static __global__ void scale(const float *x, float *y, int64_t n, float s)
{
	int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] = x[i] * s, inner<<<1, 1>>>(y);
}

extern "C" void kernel(const float *x, float *y, int64_t n, float s, cudaStream_t stream)
{
	scale<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(x, y, n, s);
}
