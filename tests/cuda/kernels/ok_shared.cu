// expect: none
// fact: nr_kernels = 2
// fact: static_shared_bytes >= 32
// fact: ptx_barriers >= 1
// fact: sass_bar? >= 1
// fact: sass_shfl? >= 5
// Two kernels, shared memory, a barrier.
#include <forge/kernel.h>

static __global__ void total(const float *x, float *y, int64_t n)
{
	__shared__ float part[8];
	float sum = 0;
	for (int64_t i = threadIdx.x; i < n; i += blockDim.x)
		sum += x[i];
	for (int lane = 16; lane; lane /= 2)
		sum += __shfl_xor_sync(~0U, sum, lane);
	if (threadIdx.x % 32 == 0)
		part[threadIdx.x / 32] = sum;
	__syncthreads();
	if (threadIdx.x == 0)
		for (int i = 0; i < 8; i++)
			y[0] += part[i];
}

static __global__ void scale(const float *x, float *y, int64_t n, float s)
{
	int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] = x[i] * s;
}

extern "C" void kernel(const float *x, float *y, int64_t n, float s, cudaStream_t stream)
{
	scale<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(x, y, n, s);
	total<<<1, 256, 0, stream>>>(x, y, n);
}
