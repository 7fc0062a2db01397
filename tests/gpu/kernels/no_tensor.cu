// expect: out_of_bounds
// A tensor map that ends where y does: the copy engine clips at multiples of 16 bytes, so the last box of an odd size
// spills over its end.
#include <cuda.h>
#include <forge/kernel.h>

constexpr int BOX = 256;

static __global__ void spilling_rows(const float *x, const float *w, const __grid_constant__ CUtensorMap y,
				     int64_t rows, int64_t cols, float a)
{
	__shared__ __align__(128) float box[BOX];
	const int64_t i = (int64_t)blockIdx.x * BOX + threadIdx.x;
	box[threadIdx.x] = i < rows * cols ? a * w[i / cols] * x[i] : 0;
	asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
	__syncthreads();
	if (threadIdx.x == 0)
		asm volatile("cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [%0, {%1}], [%2];\n"
			     "cp.async.bulk.commit_group;\n"
			     "cp.async.bulk.wait_group 0;" ::"l"(&y),
			     "r"((int)blockIdx.x * BOX), "r"((unsigned)__cvta_generic_to_shared(box))
			     : "memory");
}

extern "C" void row_scale(const float *x, const float *w, float *y, int64_t rows, int64_t cols, float a,
			  cudaStream_t stream)
{
	CUtensorMap map;
	const cuuint64_t size = (cuuint64_t)(rows * cols);
	const cuuint32_t box = BOX;
	const cuuint32_t step = 1;
	if (cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 1, y, &size, nullptr, &box, &step,
				   CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
				   CU_TENSOR_MAP_L2_PROMOTION_NONE,
				   CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS)
		spilling_rows<<<(unsigned)((rows * cols + BOX - 1) / BOX), BOX, 0, stream>>>(x, w, map, rows, cols, a);
}
