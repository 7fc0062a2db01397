// expect: none
// fact: ptx_cp_async >= 1
// fact: sass_ldgsts? >= 1
// fact: static_shared_bytes = 4096
// Asynchronous copies into shared memory.
#include <cuda_pipeline.h>
#include <forge/kernel.h>

static __global__ void through(const float *x, float *y, float s)
{
	__shared__ float4 tile[256];
	const int i = threadIdx.x;
	__pipeline_memcpy_async(&tile[i], (const float4 *)x + i, sizeof(float4));
	__pipeline_commit();
	__pipeline_wait_prior(0);
	__syncthreads();
	y[i] = tile[255 - i].x * s;
}

extern "C" void kernel(const float *x, float *y, int64_t n, float s, cudaStream_t stream)
{
	if (n >= 1024)
		through<<<1, 256, 0, stream>>>(x, y, s);
}
