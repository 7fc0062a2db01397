// expect: pass
// Elements come and go by the copy engine, 256 of them a block; calls of a window must not share tensor maps.
// The engine stores pieces of 16 bytes: the map of y ends with the last whole one, and threads store the rest.
#include <cuda.h>
#include <forge/kernel.h>

namespace {

constexpr int BOX = 256;
constexpr int PIECE = 16 / sizeof(float);

__device__ unsigned shared_of(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

__device__ void load(float *to, const CUtensorMap *from, int at, uint64_t *bar)
{
	const unsigned b = shared_of(bar);
	asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\n"
		     "fence.mbarrier_init.release.cluster;\n"
		     "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(b),
		     "r"(BOX * (unsigned)sizeof(float))
		     : "memory");
	asm volatile("cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
		     "[%0], [%1, {%2}], [%3];" ::"r"(shared_of(to)),
		     "l"(from), "r"(at), "r"(b)
		     : "memory");
}

__device__ void wait(uint64_t *bar)
{
	asm volatile("{\n.reg .pred p;\n"
		     "AGAIN:\n"
		     "mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0;\n"
		     "@!p bra AGAIN;\n}\n" ::"r"(shared_of(bar))
		     : "memory");
}

__device__ void store(const CUtensorMap *to, const float *from, int at)
{
	asm volatile("cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [%0, {%1}], [%2];\n"
		     "cp.async.bulk.commit_group;\n"
		     "cp.async.bulk.wait_group 0;" ::"l"(to),
		     "r"(at), "r"(shared_of(from))
		     : "memory");
}

__global__ void mapped_rows(const __grid_constant__ CUtensorMap x, const float *w,
			    const __grid_constant__ CUtensorMap y, float *rest, int64_t rows, int64_t cols, float a)
{
	__shared__ __align__(128) float box[BOX];
	__shared__ uint64_t bar;
	const int64_t i = (int64_t)blockIdx.x * BOX + threadIdx.x;
	if (threadIdx.x == 0)
		load(box, &x, (int)blockIdx.x * BOX, &bar);
	__syncthreads();
	wait(&bar);
	if (i < rows * cols)
		box[threadIdx.x] *= a * w[i / cols];
	asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
	__syncthreads();
	if (threadIdx.x == 0)
		store(&y, box, (int)blockIdx.x * BOX);
	if (i >= rows * cols / PIECE * PIECE && i < rows * cols)
		rest[i] = box[threadIdx.x];
}

bool map_of(CUtensorMap *map, const float *at, int64_t nr)
{
	const cuuint64_t size = (cuuint64_t)nr;
	const cuuint64_t stride = 0;
	const cuuint32_t box = BOX;
	const cuuint32_t step = 1;
	return cuTensorMapEncodeTiled(map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 1, (void *)at, &size, &stride, &box,
				      &step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
				      CU_TENSOR_MAP_L2_PROMOTION_NONE,
				      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}

} // namespace

extern "C" void row_scale(const float *x, const float *w, float *y, int64_t rows, int64_t cols, float a,
			  cudaStream_t stream)
{
	CUtensorMap from, to;
	const int64_t nr = rows * cols;
	if (map_of(&from, x, nr) && map_of(&to, y, nr / PIECE * PIECE))
		mapped_rows<<<(unsigned)((nr + BOX - 1) / BOX), BOX, 0, stream>>>(from, w, to, y, rows, cols, a);
}
