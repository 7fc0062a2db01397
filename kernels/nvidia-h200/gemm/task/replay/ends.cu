// forge-build: nvcc -O3 -std=c++17
// Tiles of 128 rows by the matrix instructions of warp groups. One warp brings slices of 64 of the inner dimension
// by the copy engine into a ring; two warp groups multiply, each 64 rows.
//  - Many tiles: 128 x 256.
//  - Few tiles: 128 x 128 or 64, the inner dimension in halves; the two blocks of a cluster add their sums up.
//  - Rows of a that do not begin at 16 bytes: rows of equal remainder by 8 lie 16 k bytes apart, so each of the
//    eight classes is a matrix that the copy engine can read, which begins some elements early. A warp has the
//    sixteen rows of one class, takes them from shared memory past these elements, and multiplies from registers.
//  - Rows of b and c that do not: plain loads and the matrix instructions of a warp.
// Where there is one tile for each block, nothing hides its start and its end. Descriptions of the operands are on their way
// while barriers are made; sums go out over what only their group has read, box by box, without a wait for the other group.
#include <cuda.h>
#include <forge/kernel.h>

namespace {

constexpr int TILE_M = 128;
constexpr int DEPTH = 64;      // of a slice: 128 bytes, as wide as the swizzle
constexpr int ROW_BYTES = 128; // of a box in shared memory
constexpr int GROUPS = 2;      // that multiply
constexpr int THREADS = GROUPS * 128 + 32;
constexpr int A_BYTES = TILE_M * ROW_BYTES;
constexpr int BOX_BYTES = DEPTH * ROW_BYTES; // of b or c: 64 x 64
constexpr int CLASSES = 8;                   // of rows, where a is not aligned
constexpr int EARLY_COLS = DEPTH + 8;        // of a slice of these
constexpr int CLASS_BYTES = TILE_M / CLASSES * EARLY_COLS * 2;

template <int NR> struct maps {
	CUtensorMap of[NR];
	int early[16]; // elements before a class's first; no padding behind them
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

__device__ inline void cluster_wait()
{
	asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
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

// The copy engine will have the description when a copy needs it.
__device__ inline void map_fetch(const CUtensorMap *map) { asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory"); }

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
__device__ inline void mma(float (&d)[32], uint64_t a, uint64_t b, int is_sum)
{
	asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %34, 0;\n"
		     "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {"
		     "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
		     "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
		     "%32, %33, p, 1, 1, 0, 1;\n}\n"
		     : SUMS_32(d, 0)
		     : "l"(a), "l"(b), "r"(is_sum));
}

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

__device__ inline void mma(float (&d)[128], uint64_t a, uint64_t b, int is_sum)
{
	asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %130, 0;\n"
		     "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {"
		     "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
		     "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
		     "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
		     "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
		     "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
		     "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
		     "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "
		     "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127}, "
		     "%128, %129, p, 1, 1, 0, 1;\n}\n"
		     : SUMS_32(d, 0), SUMS_32(d, 32), SUMS_32(d, 64), SUMS_32(d, 96)
		     : "l"(a), "l"(b), "r"(is_sum));
}

// The same with a in registers.
__device__ inline void mma(float (&d)[32], const uint32_t (&a)[4], uint64_t b)
{
	asm volatile("{\n"
		     "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {"
		     "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
		     "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
		     "{%32, %33, %34, %35}, %36, 1, 1, 1, 1;\n}\n"
		     : SUMS_32(d, 0)
		     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}

__device__ inline void mma(float (&d)[64], const uint32_t (&a)[4], uint64_t b)
{
	asm volatile("{\n"
		     "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {"
		     "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
		     "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
		     "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
		     "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
		     "{%64, %65, %66, %67}, %68, 1, 1, 1, 1;\n}\n"
		     : SUMS_32(d, 0), SUMS_32(d, 32)
		     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
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
	static constexpr int BYTES = B_BYTES + (NR == 1 ? A_BYTES : NR * CLASS_BYTES); // of a slice
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
		if constexpr (NR == 1)
			tensor_load(r.a(s), &a.of[0], i * DEPTH, row, r.full + s);
		else
#pragma unroll
			for (int c = 0; c < NR; c++)
				tensor_load(r.a(s) + c * CLASS_BYTES, &a.of[c], i * DEPTH, row / NR, r.full + s);
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

// Two neighbours of a row from an even or an odd place.
__device__ inline uint32_t neighbours(uint32_t at, bool is_odd)
{
	uint32_t low, high;
	asm volatile("ld.shared.b32 %0, [%1];" : "=r"(low) : "r"(at));
	if (!is_odd)
		return low;
	asm volatile("ld.shared.b32 %0, [%1];" : "=r"(high) : "r"(at + 4));
	return __funnelshift_r(low, high, 16);
}

// The same with a in classes: this warp's rows begin `early` elements late.
template <int TILE_N, int STAGES>
__device__ void add_up(float (&sum)[TILE_N / 2], const ring<TILE_N, STAGES, CLASSES> &r, int early, int steps)
{
	const int lane = threadIdx.x % 32;
	const int row = threadIdx.x / 32 * (TILE_M / CLASSES) + lane / 4;
#pragma unroll
	for (int i = 0; i < TILE_N / 2; i++)
		sum[i] = 0;
	const int from = (row * EARLY_COLS + lane % 4 * 2 + early / 2 * 2) * 2;
	for (int i = 0; i < steps; i++) {
		const int s = i % STAGES;
		uint32_t a[DEPTH / 16][4];
		barrier_wait(r.full + s, (i / STAGES) & 1);
		const uint64_t b = operand_of(r.b(s), BOX_BYTES);
#pragma unroll
		for (int k = 0; k < DEPTH / 4; k++)
			a[k / 4][k % 4] = neighbours(r.a(s) + from + k / 4 * 32 + k % 4 / 2 * 16 +
							     k % 2 * 8 * EARLY_COLS * 2,
						     early % 2);
		hold(sum);
		mma_begin();
#pragma unroll
		for (int k = 0; k < DEPTH / 16; k++)
			mma(sum, a[k], b + (16 * ROW_BYTES >> 4) * k);
		mma_commit();
		mma_wait<0>();
		hold(sum);
		give_back(r.empty + s);
	}
}

// Rounded sums go out in boxes of 64 x 64 by the copy engine, which leaves out what is beyond c. Box n lies where this group's
// rows of slice n of the ring were: the other group does not read them, and no slice is on its way any more.
template <int TILE_N, int STAGES>
__device__ void store_boxes(const float (&sum)[TILE_N / 2], const ring<TILE_N, STAGES, 1> &r, const CUtensorMap *c, int row,
			    int col, int group)
{
	static_assert(TILE_N / 64 <= STAGES && GROUPS * BOX_BYTES == A_BYTES);
	const int lane = threadIdx.x % 32;
	const int at_row = threadIdx.x % 128 / 32 * 16 + lane % 16;
	groups_wait(2 + group, 128); // the group has read them
#pragma unroll
	for (int n = 0; n < TILE_N / 64; n++) {
		const uint32_t box = r.a(n) + group * BOX_BYTES;
#pragma unroll
		for (int i = 0; i < 4; i++) {
			const float *v = sum + 32 * n + 8 * i;
			const uint32_t at = box + at_row * ROW_BYTES + 16 * ((i * 2 + lane / 16) ^ (at_row % 8));
			asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(at),
				     "r"(pair_of(v[0], v[1])), "r"(pair_of(v[2], v[3])), "r"(pair_of(v[4], v[5])),
				     "r"(pair_of(v[6], v[7]))
				     : "memory");
		}
		asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
		groups_wait(2 + group, 128);
		if (threadIdx.x % 128 == 0)
			tensor_store(c, box, col + n * 64, row + group * 64);
		__syncwarp();
	}
	if (threadIdx.x % 128 == 0)
		asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read 0;" ::: "memory");
}

template <int TILE_N, int STAGES, int NR>
__device__ void ring_open(ring<TILE_N, STAGES, NR> *r, char *smem, const maps<NR> &a, const CUtensorMap &b)
{
	if (threadIdx.x == GROUPS * 128) { // who brings slices
		for (int i = 0; i < NR; i++)
			map_fetch(&a.of[i]);
		map_fetch(&b);
	}
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
	if (threadIdx.x == 0)
		map_fetch(&c);
	ring_open(&r, smem, a, b);
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
	store_boxes(sum, r, &c, row, col, group);
}

// Sums of all parts of the inner dimension, from the blocks of the cluster; each block finishes its share of the rows.
template <int TILE_N, int NR> using split_ring = ring<TILE_N, STAGES<TILE_N>, NR>;
template <int TILE_N, int NR> constexpr int SPLIT_BYTES = 1024 + STAGES<TILE_N> * split_ring<TILE_N, NR>::BYTES;
template <int TILE_N> constexpr int SUM_PITCH = TILE_N + 8; // floats of a row: rows begin at other banks

__device__ inline float4 sums_of(uint32_t at, uint32_t rank)
{
	float4 v;
	uint32_t there;
	asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(at), "r"(rank));
	asm volatile("ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [%4];"
		     : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
		     : "r"(there));
	return v;
}

template <int TILE_N> __device__ void put_sums(const float (&sum)[TILE_N / 2], uint32_t to, int group)
{
	const int lane = threadIdx.x % 32;
	const int row = group * 64 + threadIdx.x % 128 / 32 * 16 + lane / 4;
	groups_wait(1, GROUPS * 128); // the ring is read
#pragma unroll
	for (int n = 0; n < TILE_N / 8; n++)
#pragma unroll
		for (int half = 0; half < 2; half++)
			asm volatile("st.shared.v2.f32 [%0], {%1, %2};" ::"r"(
					     to + ((row + 8 * half) * SUM_PITCH<TILE_N> + n * 8 + lane % 4 * 2) * 4),
				     "f"(sum[4 * n + 2 * half]), "f"(sum[4 * n + 2 * half + 1])
				     : "memory");
}

template <int TILE_N, int NR, int PARTS>
__device__ void join(uint32_t from, __nv_bfloat16 *c, int64_t m, int64_t n, int row, int col, int part)
{
	constexpr int LANES = TILE_N / 4;
	constexpr int SHARE = (TILE_M + PARTS - 1) / PARTS;
	const int x = threadIdx.x % LANES * 4;
#pragma unroll 4
	for (int i = threadIdx.x / LANES; i < SHARE; i += GROUPS * 128 / LANES) {
		const int at = part * SHARE + i;
		if (at >= TILE_M)
			break;
		float4 v = { 0, 0, 0, 0 };
#pragma unroll
		for (int p = 0; p < PARTS; p++) {
			const float4 more = sums_of(from + (at * SUM_PITCH<TILE_N> + x) * 4, p);
			v = { v.x + more.x, v.y + more.y, v.z + more.z, v.w + more.w };
		}
		const int64_t y = row + (NR == 1 ? at : at % (TILE_M / NR) * NR + at / (TILE_M / NR));
		if (y < m && col + x < n) // n is a multiple of 8
			*(uint2 *)(c + y * n + col + x) = { pair_of(v.x, v.y), pair_of(v.z, v.w) };
	}
}

template <int TILE_N, int NR, int PARTS>
__global__ void __launch_bounds__(THREADS, 1)
	split_tiles(const __grid_constant__ maps<NR> a, const __grid_constant__ CUtensorMap b, __nv_bfloat16 *c,
		    int64_t m, int64_t n, int steps)
{
	extern __shared__ __align__(1024) char smem[];
	split_ring<TILE_N, NR> r;
	ring_open(&r, smem, a, b);
	const int part = blockIdx.x;
	const int row = blockIdx.y * TILE_M;
	const int col = blockIdx.z * TILE_N;
	const int first = steps * part / PARTS;
	const int last = steps * (part + 1) / PARTS;
	const int group = threadIdx.x / 128;
	if (group == GROUPS) {
		if (threadIdx.x % 32 == 0)
			bring(r, a, b, row, col, first, last);
	} else {
		float sum[TILE_N / 2];
		if constexpr (NR == 1)
			add_up<TILE_N>(sum, r, group, last - first);
		else
			add_up<TILE_N>(sum, r, a.early[threadIdx.x / 32], last - first);
		put_sums<TILE_N>(sum, r.tiles, group);
	}
	__syncwarp();
	cluster_wait();
	if (group < GROUPS)
		join<TILE_N, NR, PARTS>(r.tiles, c, m, n, row, col, part);
	__syncwarp();
	cluster_wait(); // nobody leaves while others read its sums
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
bool map_of(CUtensorMap *map, const __nv_bfloat16 *at, int64_t rows, int64_t cols, int64_t pitch, unsigned box_rows,
	    unsigned box_cols = 64)
{
	const cuuint64_t size[2] = { (cuuint64_t)cols, (cuuint64_t)rows };
	const cuuint64_t stride[1] = { (cuuint64_t)pitch * sizeof(*at) };
	const cuuint32_t box[2] = { box_cols, box_rows };
	const bool is_swizzled = box_cols * sizeof(*at) == ROW_BYTES;
	const cuuint32_t step[2] = { 1, 1 };
	return cuTensorMapEncodeTiled(map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, (void *)at, size, stride, box, step,
				      CU_TENSOR_MAP_INTERLEAVE_NONE,
				      is_swizzled ? CU_TENSOR_MAP_SWIZZLE_128B : CU_TENSOR_MAP_SWIZZLE_NONE,
				      CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
				      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}

template <int TILE_N, int NR, int PARTS>
bool split_in(const maps<NR> &a, const CUtensorMap &b, __nv_bfloat16 *c, int64_t m, int64_t n, int64_t k,
	      cudaStream_t stream)
{
	cudaLaunchAttribute cluster;
	cudaLaunchConfig_t launch = {};
	cluster.id = cudaLaunchAttributeClusterDimension;
	cluster.val.clusterDim.x = PARTS;
	cluster.val.clusterDim.y = 1;
	cluster.val.clusterDim.z = 1;
	launch.gridDim = dim3(PARTS, tiles_of(m, TILE_M), tiles_of(n, TILE_N));
	launch.blockDim = dim3(THREADS);
	launch.dynamicSmemBytes = SPLIT_BYTES<TILE_N, NR>;
	launch.stream = stream;
	launch.attrs = &cluster;
	launch.numAttrs = 1;
	cudaFuncSetAttribute(split_tiles<TILE_N, NR, PARTS>, cudaFuncAttributeMaxDynamicSharedMemorySize, SPLIT_BYTES<TILE_N, NR>);
	return cudaLaunchKernelEx(&launch, split_tiles<TILE_N, NR, PARTS>, a, b, c, m, n, tiles_of(k, DEPTH)) ==
	       cudaSuccess;
}

// A whole block for each of `units` multiprocessors, if halves of the inner dimension and of the columns give that.
template <int NR>
bool split(const maps<NR> &a, const CUtensorMap &b, __nv_bfloat16 *c, int64_t m, int64_t n, int64_t k, int units,
	   cudaStream_t stream)
{
	const int64_t tiles = tiles_of(m, TILE_M) * (int64_t)tiles_of(n, 128);
	if (tiles * 2 > units || k < 8 * DEPTH)
		return split_in<128, NR, 1>(a, b, c, m, n, k, stream);
	if (tiles * 4 > units)
		return split_in<128, NR, 2>(a, b, c, m, n, k, stream);
	return split_in<64, NR, 2>(a, b, c, m, n, k, stream);
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

// By classes.
bool late_rows(const __nv_bfloat16 *a, const CUtensorMap &b, __nv_bfloat16 *c, int64_t m, int64_t n, int64_t k,
	       int units, cudaStream_t stream)
{
	maps<CLASSES> left = {};
	for (int64_t r = 0; r < CLASSES; r++) {
		const int64_t first = r < m ? r : 0; // a class without rows: nobody looks at what it reads
		left.early[r] = (int)(first * k % 8);
		if (!map_of(&left.of[r], a + first * k - left.early[r], (m - first + CLASSES - 1) / CLASSES,
			    k + left.early[r], CLASSES * k, TILE_M / CLASSES, EARLY_COLS))
			return false;
	}
	return split(left, b, c, m, n, k, units, stream);
}

bool by_groups(const __nv_bfloat16 *a, const __nv_bfloat16 *b, __nv_bfloat16 *c, int64_t m, int64_t n, int64_t k,
	       cudaStream_t stream)
{
	CUtensorMap right;
	maps<1> left = {};
	int units = 0;
	if (n % 8 || !map_of(&right, b, k, n, n, DEPTH))
		return false;
	cudaDeviceGetAttribute(&units, cudaDevAttrMultiProcessorCount, 0);
	if (k % 8)
		return late_rows(a, right, c, m, n, k, units, stream);
	if (!map_of(&left.of[0], a, m, k, k, TILE_M))
		return false;
	if (tiles_of(m, TILE_M) * (int64_t)tiles_of(n, 256) * 4 >= units * 3)
		return whole<256>(left, right, c, m, n, k, stream);
	return split(left, right, c, m, n, k, units, stream);
}

} // namespace

extern "C" void gemm(const __nv_bfloat16 *a, const __nv_bfloat16 *b, __nv_bfloat16 *c, int64_t m, int64_t n, int64_t k,
		     cudaStream_t stream)
{
	if (by_groups(a, b, c, m, n, k, stream))
		return;
	plain_tiles<<<dim3(tiles_of(m, PLAIN), tiles_of(n, PLAIN)), 128, 0, stream>>>(a, b, c, m, n, k);
}
