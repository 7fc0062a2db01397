// expect: none
// fact: nr_kernels = 1
// fact: registers >= 4
// fact: registers <= 64
// fact: spill_store_bytes = 0
// fact: static_shared_bytes = 0
// fact: ptx_global_loads >= 1
// fact: code_bytes >= 128
// fact: jail <= 1
// The plainest kernel there is.
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
