// expect: forbidden_section
// Bytes beside the image.
#ifndef __CUDA_ARCH__
asm(".section .nv_fatbin,\"a\"\n.quad 0x0010000100000000\n.quad 64\n.zero 64\n.text\n");
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
