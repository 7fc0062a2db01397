// expect: none
// fact: ptx_bulk_copies >= 1
// fact: sass_utmaldg? >= 1
// Tensor copies: a descriptor made by the host.
#include <cuda.h>
#include <forge/kernel.h>

static __global__ void load(const __grid_constant__ CUtensorMap map, float *y)
{
	__shared__ alignas(128) float tile[64];
	__shared__ alignas(8) uint64_t arrived;
	const unsigned to = (unsigned)__cvta_generic_to_shared(tile);
	const unsigned bar = (unsigned)__cvta_generic_to_shared(&arrived);
	if (threadIdx.x == 0) {
		asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar));
		asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 256;" ::"r"(bar));
		asm volatile("cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2}], [%3];" ::"r"(to),
			     "l"(&map), "r"(0), "r"(bar)
			     : "memory");
	}
	__syncthreads();
	y[threadIdx.x] = tile[threadIdx.x];
}

extern "C" void kernel(const float *x, float *y, int64_t n, float s, cudaStream_t stream)
{
	(void)s;
	CUtensorMap map;
	const cuuint64_t size[] = { (cuuint64_t)n };
	const cuuint32_t box[] = { 64 };
	const cuuint32_t step[] = { 1 };
	if (cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 1, (void *)x, size, NULL, box, step,
				   CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
				   CU_TENSOR_MAP_L2_PROMOTION_NONE,
				   CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS)
		load<<<1, 64, 0, stream>>>(map, y);
}
