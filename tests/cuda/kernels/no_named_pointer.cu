// expect: writable_static
// A variable that is called like one of nvcc's, of the same size: one too many.
static void __device_stub__mine(float *v) { static float *volatile __f; __f = __f ? __f + 1 : v; }
#include <forge/kernel.h>

static __global__ void scale(const float *x, float *y, int64_t n, float s)
{
	int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] = x[i] * s;
}

extern "C" void kernel(const float *x, float *y, int64_t n, float s, cudaStream_t stream)
{
	__device_stub__mine(y);
	scale<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(x, y, n, s);
}
