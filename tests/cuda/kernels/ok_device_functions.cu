// expect: none
// fact: nr_kernels = 1
// Device functions that are not static: nvcc leaves a function of the same name for the host, which ends the
// process.
#include <forge/kernel.h>

__device__ float scaled(float x, float s)
{
	return x * s;
}

struct step {
	float by;
	__device__ float of(float x) const;
};

__device__ float step::of(float x) const
{
	return scaled(x, by);
}

__device__ __noinline__ float shifted(float x)
{
	return x + 0.0f;
}

__global__ void scale(const float *x, float *y, int64_t n, float s)
{
	int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] = shifted(step{ s }.of(x[i]));
}

extern "C" void kernel(const float *x, float *y, int64_t n, float s, cudaStream_t stream)
{
	scale<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(x, y, n, s);
}
