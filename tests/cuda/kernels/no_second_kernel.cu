// expect: forbidden_import __cudaRegisterFunction
// A kernel that is registered by hand.
#include <forge/kernel.h>

extern "C" void __cudaRegisterFunction(void **, const char *, char *, const char *, int, uint3 *, uint3 *, dim3 *,
				       dim3 *, int *);

static __global__ void scale(const float *x, float *y, int64_t n, float s)
{
	int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] = x[i] * s;
}

extern "C" void kernel(const float *x, float *y, int64_t n, float s, cudaStream_t stream)
{
	__cudaRegisterFunction(NULL, (const char *)x, NULL, "scale", -1, NULL, NULL, NULL, NULL, NULL);
	scale<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(x, y, n, s);
}
