// expect: forbidden_instruction globaltimer
// A clock in inline assembler.
#include <forge/kernel.h>

static __global__ void scale(const float *x, float *y, int64_t n, float s)
{
	uint64_t t;
	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
	int64_t i = (t == 1) + (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] = x[i] * s;
}

extern "C" void kernel(const float *x, float *y, int64_t n, float s, cudaStream_t stream)
{
	scale<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(x, y, n, s);
}
