// forge-build: nvcc -O3 -std=c++17
// Tiles of 128 rows by the matrix instructions of warp groups. One warp brings slices of 64 of the inner dimension
// by the copy engine into a ring; two warp groups multiply, each 64 rows.
//  - Rows that do not begin at 16 bytes: plain loads and the matrix instructions of a warp.
#include <cuda.h>
#include <forge/kernel.h>

namespace {

constexpr int TILE_M = 128;
constexpr int DEPTH = 64;      // of a slice: 128 bytes, as wide as the swizzle
constexpr int ROW_BYTES = 128; // of a box in shared memory
constexpr int GROUPS = 2;      // that multiply
constexpr int THREADS = GROUPS * 128 + 32;
constexpr int A_BYTES = TILE_M * ROW_BYTES;
constexpr int BOX_BYTES = DEPTH * ROW_BYTES; // of b: 64 x 64

template <int NR> struct maps {
	CUtensorMap of[NR];
};

__device__ inline uint32_t shared_of(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }

__device__ inline void barrier_init(uint64_t *bar, uint32_t arrivals)
{
	asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_of(bar)), "r"(arrivals) : "memory");
}

__device__ inline void barrier_publish()
{
	asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
	asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

__device__ inline void barrier_expect(uint64_t *bar, uint32_t bytes)
{
	asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_of(bar)), "r"(bytes)
		     : "memory");
}

__device__ inline void barrier_arrive(uint64_t *bar)
{
	asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_of(bar)) : "memory");
}

__device__ inline void barrier_wait(uint64_t *bar, uint32_t parity)
{
	asm volatile("{\n.reg .pred p;\n"
		     "AGAIN:\n"
		     "mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
		     "@!p bra AGAIN;\n}\n" ::"r"(shared_of(bar)),
		     "r"(parity)
		     : "memory");
}

__device__ inline void tensor_load(uint32_t to, const CUtensorMap *map, int col, int row, uint64_t *bar)
{
	asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
		     "[%0], [%1, {%2, %3}], [%4];" ::"r"(to),
		     "l"(map), "r"(col), "r"(row), "r"(shared_of(bar))
		     : "memory");
}

__device__ inline void tensor_store(const CUtensorMap *map, uint32_t from, int col, int row)
{
	asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%2, %3}], [%1];" ::"l"(map),
		     "r"(from), "r"(col), "r"(row)
		     : "memory");
}

__device__ inline void mma_begin() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ inline void mma_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int LEFT> __device__ inline void mma_wait()
{
	asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(LEFT) : "memory");
}

// Operands in shared memory, 128-byte swizzle. Along the inner dimension (a) groups of eight rows lie 1 KiB apart; across
// it (b) eight steps of the inner dimension do, and boxes of 64 columns lie BOX_BYTES apart.
__device__ inline uint64_t operand_of(uint32_t at, uint32_t apart)
{
	return (uint64_t)((at & 0x3ffff) >> 4) | (uint64_t)(apart >> 4) << 16 | (uint64_t)(1024 >> 4) << 32 |
	       (uint64_t)1 << 62;
}

#define SUMS_4(d, i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define SUMS_16(d, i) SUMS_4(d, i), SUMS_4(d, i + 4), SUMS_4(d, i + 8), SUMS_4(d, i + 12)
#define SUMS_32(d, i) SUMS_16(d, i), SUMS_16(d, i + 16)

// The compiler keeps what it does with these registers on its side of this line.
template <int NR> __device__ inline void hold(float (&v)[NR])
{
#pragma unroll
	for (int i = 0; i < NR; i++)
		asm volatile("" : "+f"(v[i])::"memory");
}

// d (+)= a b; b lies with its columns together.
__device__ inline void mma(float (&d)[64], uint64_t a, uint64_t b, int is_sum)
{
	asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %66, 0;\n"
		     "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {"
		     "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
		     "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
		     "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
		     "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
		     "%64, %65, p, 1, 1, 0, 1;\n}\n"
		     : SUMS_32(d, 0), SUMS_32(d, 32)
		     : "l"(a), "l"(b), "r"(is_sum));
}

__device__ inline uint32_t pair_of(float low, float high)
{
	const __nv_bfloat162 two = __floats2bfloat162_rn(low, high);
	return *(const uint32_t *)&two;
}

__device__ inline void groups_wait(int name, int threads)
{
	asm volatile("bar.sync %0, %1;" ::"r"(name), "r"(threads) : "memory");
}

// A block's ring in shared memory.
template <int TILE_N, int STAGES, int NR> struct ring {
	static constexpr int B_BYTES = TILE_N * ROW_BYTES;
	static constexpr int BYTES = B_BYTES + A_BYTES; // of a slice
	uint32_t tiles;
	uint64_t *full;
	uint64_t *empty;
	__device__ uint32_t b(int s) const { return tiles + s * BYTES; }
	__device__ uint32_t a(int s) const { return b(s) + B_BYTES; }
};

// One lane: slices first..last - 1 into the ring.
template <int TILE_N, int STAGES, int NR>
__device__ void bring(const ring<TILE_N, STAGES, NR> &r, const maps<NR> &a, const CUtensorMap &b, int row, int col,
		      int first, int last)
{
	for (int i = first; i < last; i++) {
		const int s = (i - first) % STAGES;
		const int turn = (i - first) / STAGES;
		if (turn > 0)
			barrier_wait(r.empty + s, (turn - 1) & 1);
		barrier_expect(r.full + s, r.BYTES);
		tensor_load(r.a(s), &a.of[0], i * DEPTH, row, r.full + s);
#pragma unroll
		for (int n = 0; n < TILE_N / 64; n++)
			tensor_load(r.b(s) + n * BOX_BYTES, &b, col + n * 64, i * DEPTH, r.full + s);
	}
}

// One lane a warp.
__device__ inline void give_back(uint64_t *empty)
{
	if (threadIdx.x % 32 == 0)
		barrier_arrive(empty);
	__syncwarp();
}

// A warp group: its 64 rows of the tile, `steps` slices. A slice is given back when the next one is under way.
template <int TILE_N, int STAGES>
__device__ void add_up(float (&sum)[TILE_N / 2], const ring<TILE_N, STAGES, 1> &r, int group, int steps)
{
	for (int i = 0; i < steps; i++) {
		const int s = i % STAGES;
		barrier_wait(r.full + s, (i / STAGES) & 1);
		const uint64_t a = operand_of(r.a(s) + group * 64 * ROW_BYTES, 16);
		const uint64_t b = operand_of(r.b(s), BOX_BYTES);
		mma_begin();
#pragma unroll
		for (int k = 0; k < DEPTH / 16; k++)
			mma(sum, a + 2 * k, b + (16 * ROW_BYTES >> 4) * k, i > 0 || k > 0);
		mma_commit();
		mma_wait<1>();
		if (i > 0)
			give_back(r.empty + (i - 1) % STAGES);
	}
	mma_wait<0>();
	hold(sum);
}

// Rounded sums go out in boxes of 64 x 64 by the copy engine, which leaves out what is beyond c.
template <int TILE_N>
__device__ void store_boxes(const float (&sum)[TILE_N / 2], uint32_t tiles, const CUtensorMap *c, int row, int col,
			    int group)
{
	const uint32_t boxes = tiles + group * (TILE_N / 64) * BOX_BYTES;
	const int lane = threadIdx.x % 32;
	const int at_row = threadIdx.x % 128 / 32 * 16 + lane % 16;
	groups_wait(1, GROUPS * 128); // the ring is read
#pragma unroll
	for (int n = 0; n < TILE_N / 16; n++) {
		const int chunk = n % 4 * 2 + lane / 16;
		const uint32_t at =
			boxes + n / 4 * BOX_BYTES + at_row * ROW_BYTES + 16 * (chunk ^ (at_row % 8));
		asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(at),
			     "r"(pair_of(sum[8 * n], sum[8 * n + 1])), "r"(pair_of(sum[8 * n + 2], sum[8 * n + 3])),
			     "r"(pair_of(sum[8 * n + 4], sum[8 * n + 5])),
			     "r"(pair_of(sum[8 * n + 6], sum[8 * n + 7]))
			     : "memory");
	}
	asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
	groups_wait(2 + group, 128);
	if (threadIdx.x % 128 == 0) {
#pragma unroll
		for (int n = 0; n < TILE_N / 64; n++)
			tensor_store(c, boxes + n * BOX_BYTES, col + n * 64, row + group * 64);
		asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read 0;" ::: "memory");
	}
}

template <int TILE_N, int STAGES, int NR>
__device__ void ring_open(ring<TILE_N, STAGES, NR> *r, char *smem)
{
	r->full = (uint64_t *)smem;
	r->empty = r->full + STAGES;
	r->tiles = shared_of(smem) + 1024;
	if (threadIdx.x == 0) {
		for (int s = 0; s < STAGES; s++) {
			barrier_init(r->full + s, 1);
			barrier_init(r->empty + s, GROUPS * 4);
		}
		barrier_publish();
	}
	__syncthreads();
}

template <int TILE_N> constexpr int STAGES = TILE_N == 256 ? 4 : TILE_N == 128 ? 6 : 8;
template <int TILE_N> constexpr int BYTES = 1024 + STAGES<TILE_N> * ring<TILE_N, STAGES<TILE_N>, 1>::BYTES;

template <int TILE_N>
__global__ void __launch_bounds__(THREADS, 1)
	whole_tiles(const __grid_constant__ maps<1> a, const __grid_constant__ CUtensorMap b,
		    const __grid_constant__ CUtensorMap c, int steps)
{
	extern __shared__ __align__(1024) char smem[];
	ring<TILE_N, STAGES<TILE_N>, 1> r;
	ring_open(&r, smem);
	const int row = blockIdx.x * TILE_M;
	const int col = blockIdx.y * TILE_N;
	const int group = threadIdx.x / 128;
	if (group == GROUPS) {
		if (threadIdx.x % 32 == 0)
			bring(r, a, b, row, col, 0, steps);
		return;
	}
	float sum[TILE_N / 2];
	add_up<TILE_N>(sum, r, group, steps);
	store_boxes<TILE_N>(sum, r.tiles, &c, row, col, group);
}

// Everything else: 64 x 64 by four warps, elements one by one.
constexpr int PLAIN = 64;
constexpr int PLAIN_DEPTH = 32;

__global__ void __launch_bounds__(128)
	plain_tiles(const __nv_bfloat16 *a, const __nv_bfloat16 *b, __nv_bfloat16 *c, int64_t m, int64_t n, int64_t k)
{
	__shared__ __nv_bfloat16 left[PLAIN][PLAIN_DEPTH + 8];
	__shared__ __nv_bfloat16 right[PLAIN][PLAIN_DEPTH + 8]; // by columns of b
	const int64_t row = (int64_t)blockIdx.x * PLAIN;
	const int64_t col = (int64_t)blockIdx.y * PLAIN;
	const int lane = threadIdx.x % 32;
	const int warp = threadIdx.x / 32;
	const __nv_bfloat16 zero = __float2bfloat16(0);
	float sum[8][4] = {};
	for (int64_t from = 0; from < k; from += PLAIN_DEPTH) {
		for (int i = threadIdx.x; i < PLAIN * PLAIN_DEPTH; i += 128) {
			const int64_t y = row + i / PLAIN_DEPTH, x = from + i % PLAIN_DEPTH;
			left[i / PLAIN_DEPTH][i % PLAIN_DEPTH] = y < m && x < k ? a[y * k + x] : zero;
		}
		for (int i = threadIdx.x; i < PLAIN * PLAIN_DEPTH; i += 128) {
			const int64_t y = from + i / PLAIN, x = col + i % PLAIN;
			right[i % PLAIN][i / PLAIN] = y < k && x < n ? b[y * n + x] : zero;
		}
		__syncthreads();
		for (int d = 0; d < PLAIN_DEPTH; d += 16) {
			uint32_t l[4];
			for (int i = 0; i < 4; i++)
				l[i] = *(const uint32_t *)&left[warp * 16 + i % 2 * 8 + lane / 4]
							       [d + i / 2 * 8 + lane % 4 * 2];
			for (int j = 0; j < 8; j++) {
				uint32_t r[2];
				for (int i = 0; i < 2; i++)
					r[i] = *(const uint32_t *)&right[j * 8 + lane / 4]
									[d + i * 8 + lane % 4 * 2];
				asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
					     "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
					     : "+f"(sum[j][0]), "+f"(sum[j][1]), "+f"(sum[j][2]), "+f"(sum[j][3])
					     : "r"(l[0]), "r"(l[1]), "r"(l[2]), "r"(l[3]), "r"(r[0]), "r"(r[1]));
			}
		}
		__syncthreads();
	}
	for (int j = 0; j < 8; j++)
		for (int i = 0; i < 4; i++) {
			const int64_t y = row + warp * 16 + i / 2 * 8 + lane / 4;
			const int64_t x = col + j * 8 + lane % 4 * 2 + i % 2;
			if (y < m && x < n)
				c[y * n + x] = __float2bfloat16(sum[j][i]);
		}
}

int tiles_of(int64_t size, int tile) { return (int)((size + tile - 1) / tile); }

// Rows of `cols` elements that lie `pitch` elements apart.
bool map_of(CUtensorMap *map, const __nv_bfloat16 *at, int64_t rows, int64_t cols, int64_t pitch, unsigned box_rows)
{
	const cuuint64_t size[2] = { (cuuint64_t)cols, (cuuint64_t)rows };
	const cuuint64_t stride[1] = { (cuuint64_t)pitch * sizeof(*at) };
	const cuuint32_t box[2] = { 64, box_rows };
	const cuuint32_t step[2] = { 1, 1 };
	return cuTensorMapEncodeTiled(map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, (void *)at, size, stride, box, step,
				      CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
				      CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
				      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}

template <int TILE_N>
bool whole(const maps<1> &a, const CUtensorMap &b, __nv_bfloat16 *c, int64_t m, int64_t n, int64_t k, cudaStream_t stream)
{
	CUtensorMap out;
	if (!map_of(&out, c, m, n, n, 64))
		return false;
	cudaFuncSetAttribute(whole_tiles<TILE_N>, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES<TILE_N>);
	whole_tiles<TILE_N><<<dim3(tiles_of(m, TILE_M), tiles_of(n, TILE_N)), THREADS, BYTES<TILE_N>, stream>>>(
		a, b, out, tiles_of(k, DEPTH));
	return true;
}

bool by_groups(const __nv_bfloat16 *a, const __nv_bfloat16 *b, __nv_bfloat16 *c, int64_t m, int64_t n, int64_t k,
	       cudaStream_t stream)
{
	CUtensorMap right;
	maps<1> left = {};
	if (n % 8 || k % 8 || !map_of(&right, b, k, n, n, DEPTH) || !map_of(&left.of[0], a, m, k, k, TILE_M))
		return false;
	return whole<128>(left, right, c, m, n, k, stream);
}

} // namespace

extern "C" void gemm(const __nv_bfloat16 *a, const __nv_bfloat16 *b, __nv_bfloat16 *c, int64_t m, int64_t n, int64_t k,
		     cudaStream_t stream)
{
	if (by_groups(a, b, c, m, n, k, stream))
		return;
	plain_tiles<<<dim3(tiles_of(m, PLAIN), tiles_of(n, PLAIN)), 128, 0, stream>>>(a, b, c, m, n, k);
}
