// expect: none
// Clusters, and the launch with attributes.
#include <forge/kernel.h>

#include <cooperative_groups.h>

static __global__ void __cluster_dims__(2, 1, 1) pair(const float *x, float *y, float s)
{
	namespace cg = cooperative_groups;
	__shared__ float mine;
	if (threadIdx.x == 0)
		mine = x[blockIdx.x] * s;
	cg::this_cluster().sync();
	float *other = cg::this_cluster().map_shared_rank(&mine, cg::this_cluster().block_rank() ^ 1);
	if (threadIdx.x == 0)
		y[blockIdx.x] = *other;
	cg::this_cluster().sync();
}

extern "C" void kernel(const float *x, float *y, int64_t n, float s, cudaStream_t stream)
{
	(void)n;
	cudaLaunchConfig_t launch = {};
	launch.gridDim = dim3(2);
	launch.blockDim = dim3(32);
	launch.stream = stream;
	cudaLaunchKernelEx(&launch, pair, x, y, s);
}
