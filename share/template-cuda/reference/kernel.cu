/* The implementation to beat: plain, readable, obviously right. */
#include <forge/kernel.h>

static __global__ void add(const float *x, const float *y, float *z, int64_t n, float a, float b)
{
	int64_t step = (int64_t)gridDim.x * blockDim.x;
	for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
		z[i] = a * x[i] + b * y[i];
}

extern "C" void @NAME@(const float *x, const float *y, float *z, int64_t n, float a, float b,
		       cudaStream_t stream)
{
	const unsigned threads = 256;
	const int64_t blocks = (n + threads - 1) / threads;
	add<<<(unsigned)(blocks < 65535 ? blocks : 65535), threads, 0, stream>>>(x, y, z, n, a, b);
}
