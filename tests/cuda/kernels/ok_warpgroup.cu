// expect: none
// fact: ptx_wgmma = 1
// fact: sass_hgmma? >= 1
// fact: serialized_kernels = 0
// The matrix units by warp groups: only the "a" of sm_90a has them.
#include <forge/kernel.h>

static __global__ void __launch_bounds__(128) group(float *y, uint64_t a, uint64_t b)
{
	float d[4] = { 0, 0, 0, 0 };
	asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
	asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"
		     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
		     : "l"(a), "l"(b));
	asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
	asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
	y[threadIdx.x] = d[0] + d[1] + d[2] + d[3];
}

extern "C" void kernel(const float *x, float *y, int64_t n, float s, cudaStream_t stream)
{
	(void)x;
	(void)s;
	group<<<1, 128, 0, stream>>>(y, (uint64_t)n, (uint64_t)n);
}
