// expect: none
// fact: static_shared_bytes = 0
// Dynamic shared memory beyond 48 KiB has to be asked for.
#include <forge/kernel.h>

extern __shared__ float room[];

static __global__ void keep(const float *x, float *y, float s)
{
	room[threadIdx.x] = x[threadIdx.x] * s;
	__syncthreads();
	y[threadIdx.x] = room[blockDim.x - 1 - threadIdx.x];
}

extern "C" void kernel(const float *x, float *y, int64_t n, float s, cudaStream_t stream)
{
	const int bytes = 100 * 1024;
	if (cudaFuncSetAttribute(keep, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes) == cudaSuccess && n)
		keep<<<1, 1024, bytes, stream>>>(x, y, s);
}
