// forge-build: nvcc -O3 -std=c++17
// Blocks of 128 queries of one head; two warp groups have 64 each, one warp brings tiles of 128 keys or values by the
// copy engine into a ring. Scores and weights stay in registers: sums of the first product, rounded, are the left operand of
// the second.
// The product of the next keys runs while the weights of the tile before are made, and the groups take turns at the matrix
// units.
// Each multiprocessor has one block of threads, which goes through its share of the blocks of queries, long ones first, every
// other time in reverse, so that the shares are even.
// Where there are fewer blocks than half the multiprocessors, a block has 64 queries: both groups have the same ones, each with
// every other tile of keys, and what they found is joined in the end.
// Descriptions of the tensors are on their way while barriers are made.
#include <cuda.h>
#include <forge/kernel.h>

namespace {

constexpr int QUERIES = 128; // of a block
constexpr int KEYS = 128;    // of a tile
constexpr int GROUPS = 2;    // of warps, that multiply
constexpr int THREADS = (GROUPS + 1) * 128;
constexpr int BOX_BYTES = 128 * 128; // 64 columns of 128 rows

// IS_JOINT: both groups have the same queries.
template <int DIM, bool IS_JOINT> struct place {
	static constexpr int ROWS = IS_JOINT ? QUERIES / 2 : QUERIES; // of a block
	static constexpr int TILE = DIM / 64 * BOX_BYTES;
	static constexpr int QUERY_BOX = ROWS * 128;
	static constexpr int QUERY_BYTES = DIM / 64 * QUERY_BOX;
	static constexpr int STAGES = DIM == 128 ? 5 : 8;
	static constexpr int JOINT_BYTES = IS_JOINT ? (DIM / 2 + 4) * 128 * 4 : 0; // registers of a group
	static constexpr int BYTES = 1024 + 2 * QUERY_BYTES + JOINT_BYTES + STAGES * TILE;
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

__device__ inline void tensor_load(uint32_t to, const CUtensorMap *map, int col, int row, int head, uint64_t *bar)
{
	asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
		     "[%0], [%1, {%2, %3, %4}], [%5];" ::"r"(to),
		     "l"(map), "r"(col), "r"(row), "r"(head), "r"(shared_of(bar))
		     : "memory");
}

__device__ inline void tensor_store(const CUtensorMap *map, uint32_t from, int col, int row, int head)
{
	asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [%0, {%2, %3, %4}], [%1];" ::"l"(map),
		     "r"(from), "r"(col), "r"(row), "r"(head)
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

// The compiler keeps what it does with these registers on its side of this line.
template <int NR> __device__ inline void hold(float (&v)[NR])
{
#pragma unroll
	for (int i = 0; i < NR; i++)
		asm volatile("" : "+f"(v[i])::"memory");
}

__device__ inline void group_wait(int name, int threads)
{
	asm volatile("bar.sync %0, %1;" ::"r"(name), "r"(threads) : "memory");
}

__device__ inline void group_pass(int name, int threads)
{
	asm volatile("bar.arrive %0, %1;" ::"r"(name), "r"(threads) : "memory");
}

// Operands in shared memory, 128-byte swizzle: eight rows lie 1 KiB apart, boxes of 64 columns BOX_BYTES.
__device__ inline uint64_t operand_of(uint32_t at)
{
	return (uint64_t)((at & 0x3ffff) >> 4) | (uint64_t)(BOX_BYTES >> 4) << 16 | (uint64_t)(1024 >> 4) << 32 |
	       (uint64_t)1 << 62;
}

#define SUMS_4(d, i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define SUMS_16(d, i) SUMS_4(d, i), SUMS_4(d, i + 4), SUMS_4(d, i + 8), SUMS_4(d, i + 12)
#define SUMS_32(d, i) SUMS_16(d, i), SUMS_16(d, i + 16)

// d (+)= a b^T, both with the inner dimension together.
__device__ inline void mma_rows(float (&d)[64], uint64_t a, uint64_t b, int is_sum)
{
	asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %66, 0;\n"
		     "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {"
		     "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
		     "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
		     "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
		     "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
		     "%64, %65, p, 1, 1, 0, 0;\n}\n"
		     : SUMS_32(d, 0), SUMS_32(d, 32)
		     : "l"(a), "l"(b), "r"(is_sum));
}

// d += a b, a from registers, b with its columns together.
__device__ inline void mma_columns(float (&d)[32], const uint32_t (&a)[4], uint64_t b)
{
	asm volatile("{\n"
		     "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {"
		     "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
		     "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
		     "{%32, %33, %34, %35}, %36, 1, 1, 1, 1;\n}\n"
		     : SUMS_32(d, 0)
		     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}

__device__ inline void mma_columns(float (&d)[64], const uint32_t (&a)[4], uint64_t b)
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

__device__ inline float power_of_two(float x)
{
	float y;
	asm volatile("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
	return y;
}

struct problem {
	int heads, group, seq; // all heads of all batches; how many share one of keys; length
	float scale;           // of scores, for powers of two
};

// What this block of threads does in its turn t: blocks of queries go from long to short.
template <int ROWS> struct work {
	int nr, head, row, last; // the last tile of keys
	__device__ work(const problem &p, int t)
	{
		const int blocks = (p.seq + ROWS - 1) / ROWS;
		const int all = (int)gridDim.x;
		const int at = t * all + (t % 2 ? all - 1 - (int)blockIdx.x : (int)blockIdx.x);
		nr = at < blocks * p.heads;
		head = at % p.heads;
		row = (blocks - 1 - at / p.heads) * ROWS;
		last = row / KEYS;
	}
};

struct ring {
	uint64_t *full, *empty, *queries, *free;
	uint32_t query_tiles, joint, tiles;
};

template <int DIM, bool IS_JOINT> struct feeder {
	const ring &r;
	int n;
	__device__ void put(const CUtensorMap &map, int tile, int head)
	{
		constexpr int STAGES = place<DIM, IS_JOINT>::STAGES;
		const int s = n % STAGES;
		if (n >= STAGES)
			barrier_wait(r.empty + s, (n / STAGES - 1) & 1);
		barrier_expect(r.full + s, place<DIM, IS_JOINT>::TILE);
		for (int c = 0; c < DIM / 64; c++)
			tensor_load(r.tiles + s * place<DIM, IS_JOINT>::TILE + c * BOX_BYTES, &map, c * 64, tile * KEYS, head,
				    r.full + s);
		n++;
	}
};

// One lane. Keys come one tile of a group before the values that they are needed with.
template <int DIM, bool IS_JOINT>
__device__ void bring(const ring &r, const CUtensorMap &q, const CUtensorMap &k, const CUtensorMap &v, const problem &p)
{
	feeder<DIM, IS_JOINT> f = { r, 0 };
	for (int t = 0;; t++) {
		const work<place<DIM, IS_JOINT>::ROWS> w(p, t);
		if (!w.nr)
			break;
		const int head = w.head / p.group;
		if (t >= 2)
			barrier_wait(r.free + t % 2, (t / 2 - 1) & 1);
		barrier_expect(r.queries + t % 2, place<DIM, IS_JOINT>::QUERY_BYTES);
		for (int c = 0; c < DIM / 64; c++)
			tensor_load(r.query_tiles + t % 2 * place<DIM, IS_JOINT>::QUERY_BYTES +
					    c * place<DIM, IS_JOINT>::QUERY_BOX,
				    &q, c * 64, w.row, w.head, r.queries + t % 2);
		constexpr int AHEAD = IS_JOINT ? 2 : 1; // tiles of keys
		for (int j = w.last; j > w.last - AHEAD && j >= 0; j--)
			f.put(k, j, head);
		for (int j = w.last; j >= 0; j--) {
			if (j >= AHEAD)
				f.put(k, j - AHEAD, head);
			f.put(v, j, head);
		}
	}
}

template <int DIM> struct state {
	float out[DIM / 2]; // of 64 rows: two of each thread
	float score[KEYS / 2];
	uint32_t weight[KEYS / 16][4];
	float top[2], total[2], keep[2];
	int n; // tiles used
};

// A parity tells a turn of the ring only from the next one. Where groups have tiles of their own, what was in this place before
// may be the other group's and still on its way; its return, without which tile n is not asked for, tells the turns apart.
template <int DIM, bool IS_JOINT> __device__ inline void wait_tile(const ring &r, int n)
{
	constexpr int STAGES = place<DIM, IS_JOINT>::STAGES;
	if (IS_JOINT && n >= STAGES)
		barrier_wait(r.empty + n % STAGES, (n / STAGES - 1) & 1);
	barrier_wait(r.full + n % STAGES, n / STAGES & 1);
}

template <int DIM, bool IS_JOINT> __device__ inline void give_back(const ring &r, int n)
{
	if (threadIdx.x % 32 == 0)
		barrier_arrive(r.empty + n % place<DIM, IS_JOINT>::STAGES);
	__syncwarp();
}

template <int DIM, bool IS_JOINT> __device__ inline uint32_t tile_at(const ring &r, int n)
{
	return r.tiles + n % place<DIM, IS_JOINT>::STAGES * place<DIM, IS_JOINT>::TILE;
}

template <int DIM, bool IS_JOINT> __device__ inline void multiply_keys(state<DIM> &s, uint32_t queries, uint32_t keys)
{
	const uint64_t a = operand_of(queries);
	const uint64_t b = operand_of(keys);
	hold(s.score);
	mma_begin();
#pragma unroll
	for (int d = 0; d < DIM / 16; d++)
		mma_rows(s.score, a + d / 4 * (place<DIM, IS_JOINT>::QUERY_BOX >> 4) + d % 4 * 2,
			 b + d / 4 * (BOX_BYTES >> 4) + d % 4 * 2,
			 d > 0);
	mma_commit();
}

template <int DIM> __device__ inline void multiply_values(state<DIM> &s, uint32_t values)
{
	const uint64_t b = operand_of(values);
	hold(s.out);
	mma_begin();
#pragma unroll
	for (int k = 0; k < KEYS / 16; k++)
		mma_columns(s.out, s.weight[k], b + k * (16 * 128 >> 4));
	mma_commit();
}

// On the tile that holds the rows themselves, from its row `first` on.
template <int DIM> __device__ inline void mask(state<DIM> &s, int first)
{
	const int row = first + threadIdx.x % 128 / 32 * 16 + threadIdx.x % 32 / 4;
	const int col = threadIdx.x % 4 * 2;
#pragma unroll
	for (int i = 0; i < KEYS / 2; i++)
		if (col + i / 4 * 8 + i % 2 > row + i % 4 / 2 * 8)
			s.score[i] = -INFINITY;
}

// Scores become weights; what the sums so far must be multiplied with goes to `keep`.
template <int DIM> __device__ inline void weigh(state<DIM> &s, float scale, bool is_first)
{
#pragma unroll
	for (int half = 0; half < 2; half++) {
		float top = s.score[2 * half];
#pragma unroll
		for (int i = 0; i < KEYS / 8; i++)
			top = fmaxf(top, fmaxf(s.score[4 * i + 2 * half], s.score[4 * i + 2 * half + 1]));
		top = fmaxf(top, __shfl_xor_sync(0xffffffff, top, 1));
		top = fmaxf(top, __shfl_xor_sync(0xffffffff, top, 2));
		if (!is_first)
			top = fmaxf(top, s.top[half]);
		const float shift = top * scale;
		s.keep[half] = is_first ? 0 : power_of_two(s.top[half] * scale - shift);
		s.top[half] = top;
		float total[2] = { 0, 0 };
#pragma unroll
		for (int i = 0; i < KEYS / 8; i++)
#pragma unroll
			for (int j = 0; j < 2; j++) {
				float &x = s.score[4 * i + 2 * half + j];
				x = power_of_two(x * scale - shift);
				total[j] += x;
			}
		s.total[half] = (is_first ? 0 : s.total[half] * s.keep[half]) + (total[0] + total[1]);
	}
}

template <int DIM> __device__ inline void round_weights(state<DIM> &s)
{
#pragma unroll
	for (int i = 0; i < KEYS / 4; i++)
		s.weight[i / 4][i % 4] = pair_of(s.score[2 * i], s.score[2 * i + 1]);
}

template <int DIM> __device__ inline void scale_out(state<DIM> &s)
{
#pragma unroll
	for (int i = 0; i < DIM / 2; i++)
		s.out[i] *= s.keep[i % 4 / 2];
}

// Where in the ring a group's tiles are, counted from the first of a block of queries, with tiles last..0 of keys.
template <bool IS_JOINT> struct order {
	int group, last;
	__device__ int nr() const { return IS_JOINT ? (last - group) / 2 + (last >= group) : last + 1; }
	__device__ int key(int i) const
	{
		return IS_JOINT ? (i == 0 ? group : 2 * group + 4 * i - 2) : (i == 0 ? 0 : 2 * i - 1);
	}
	__device__ int value(int i) const
	{
		const int tile = IS_JOINT ? last - group - 2 * i : last - i;
		return tile < (IS_JOINT ? 2 : 1) ? 2 * last + 1 - tile :
		       IS_JOINT			 ? 2 * group + 4 * i + 3 :
						   2 * i + 2;
	}
};

// The wait for the next tile stands before the one for the second product: the compiler moves what comes behind a wait for
// matrix instructions freely before it and the other way round, but not over a loop.
template <int DIM, bool IS_JOINT>
__device__ inline void attend(state<DIM> &s, const ring &r, const problem &p, uint32_t queries, int row, int last)
{
	const int group = threadIdx.x / 128;
	const order<IS_JOINT> at = { group, last };
	const int nr = at.nr();
#pragma unroll
	for (int i = 0; i < DIM / 2; i++)
		s.out[i] = 0;
	for (int half = 0; half < 2; half++) {
		s.top[half] = -INFINITY;
		s.total[half] = 0;
	}
	if (nr == 0)
		return;
	int n = s.n + at.key(0);
	wait_tile<DIM, IS_JOINT>(r, n);
	if (!IS_JOINT)
		group_wait(2 + group, 256);
	multiply_keys<DIM, IS_JOINT>(s, queries, tile_at<DIM, IS_JOINT>(r, n));
	if (!IS_JOINT)
		group_pass(2 + (group ^ 1), 256);
	mma_wait<0>();
	hold(s.score);
	give_back<DIM, IS_JOINT>(r, n);
	if (!IS_JOINT || group == 0)
		mask(s, row % KEYS + (IS_JOINT ? 0 : group * 64));
	weigh(s, p.scale, true);
	round_weights(s);
	n = s.n + (nr > 1 ? at.key(1) : at.value(0));
	wait_tile<DIM, IS_JOINT>(r, n);
	for (int i = 1; i < nr; i++) {
		const int of_values = s.n + at.value(i - 1);
		const int of_keys = n;
		if (!IS_JOINT)
			group_wait(2 + group, 256);
		multiply_keys<DIM, IS_JOINT>(s, queries, tile_at<DIM, IS_JOINT>(r, of_keys));
		wait_tile<DIM, IS_JOINT>(r, of_values);
		multiply_values(s, tile_at<DIM, IS_JOINT>(r, of_values));
		if (!IS_JOINT)
			group_pass(2 + (group ^ 1), 256);
		mma_wait<1>();
		hold(s.score);
		give_back<DIM, IS_JOINT>(r, of_keys);
		weigh(s, p.scale, false);
		hold(s.score);
		n = s.n + (i + 1 < nr ? at.key(i + 1) : at.value(i));
		wait_tile<DIM, IS_JOINT>(r, n);
		mma_wait<0>();
		hold(s.out);
		give_back<DIM, IS_JOINT>(r, of_values);
		scale_out(s);
		round_weights(s);
	}
	multiply_values(s, tile_at<DIM, IS_JOINT>(r, n));
	mma_wait<0>();
	hold(s.out);
	give_back<DIM, IS_JOINT>(r, n);
}

// What the second group found goes to the first, which has the same rows in the same registers; `turn` counts the blocks.
template <int DIM> __device__ inline void join(state<DIM> &s, float scale, uint32_t through, int turn)
{
	const uint32_t mine = through + threadIdx.x % 128 * 4;
	if (threadIdx.x >= 128) {
		if (turn > 0)
			group_wait(3, 256);
#pragma unroll
		for (int i = 0; i < DIM / 2; i++)
			asm volatile("st.shared.f32 [%0], %1;" ::"r"(mine + i * 512), "f"(s.out[i]) : "memory");
#pragma unroll
		for (int half = 0; half < 2; half++) {
			asm volatile("st.shared.f32 [%0], %1;" ::"r"(mine + (DIM / 2 + half) * 512), "f"(s.top[half])
				     : "memory");
			asm volatile("st.shared.f32 [%0], %1;" ::"r"(mine + (DIM / 2 + 2 + half) * 512),
				     "f"(s.total[half])
				     : "memory");
		}
		group_pass(2, 256);
		return;
	}
	float by[2];
	group_wait(2, 256);
#pragma unroll
	for (int half = 0; half < 2; half++) {
		float top, total;
		asm volatile("ld.shared.f32 %0, [%1];" : "=f"(top) : "r"(mine + (DIM / 2 + half) * 512));
		asm volatile("ld.shared.f32 %0, [%1];" : "=f"(total) : "r"(mine + (DIM / 2 + 2 + half) * 512));
		const float shift = fmaxf(top, s.top[half]) * scale;
		s.keep[half] = power_of_two(s.top[half] * scale - shift);
		by[half] = power_of_two(top * scale - shift);
		s.total[half] = s.total[half] * s.keep[half] + total * by[half];
	}
#pragma unroll
	for (int i = 0; i < DIM / 2; i++) {
		float more;
		asm volatile("ld.shared.f32 %0, [%1];" : "=f"(more) : "r"(mine + i * 512));
		s.out[i] = s.out[i] * s.keep[i % 4 / 2] + more * by[i % 4 / 2];
	}
	group_pass(3, 256);
}

// Where the queries were; rows beyond the end are left out by the copy engine.
template <int DIM, bool IS_JOINT>
__device__ inline void store(state<DIM> &s, const CUtensorMap &o, uint32_t to, int row, int head, uint64_t *free)
{
	const int lane = threadIdx.x % 32;
	const int at_row = threadIdx.x % 128 / 32 * 16 + lane % 16;
	float by[2];
#pragma unroll
	for (int half = 0; half < 2; half++) {
		float total = s.total[half];
		total += __shfl_xor_sync(0xffffffff, total, 1);
		total += __shfl_xor_sync(0xffffffff, total, 2);
		by[half] = 1 / total;
	}
#pragma unroll
	for (int n = 0; n < DIM / 16; n++) {
		const float *v = s.out + 8 * n;
		const uint32_t at =
			to + n / 4 * place<DIM, IS_JOINT>::QUERY_BOX + at_row * 128 + 16 * ((n % 4 * 2 + lane / 16) ^ (at_row % 8));
		asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(at),
			     "r"(pair_of(v[0] * by[0], v[1] * by[0])), "r"(pair_of(v[2] * by[1], v[3] * by[1])),
			     "r"(pair_of(v[4] * by[0], v[5] * by[0])), "r"(pair_of(v[6] * by[1], v[7] * by[1]))
			     : "memory");
	}
	asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
	group_wait(4 + threadIdx.x / 128, 128);
	if (threadIdx.x % 128 == 0) {
		for (int c = 0; c < DIM / 64; c++)
			tensor_store(&o, to + c * place<DIM, IS_JOINT>::QUERY_BOX, c * 64, row, head);
		asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read 0;" ::: "memory");
		barrier_arrive(free);
	}
	__syncwarp();
}

template <int DIM, bool IS_JOINT> __device__ void ring_open(ring *r, char *smem)
{
	r->full = (uint64_t *)smem;
	r->empty = r->full + place<DIM, IS_JOINT>::STAGES;
	r->queries = r->empty + place<DIM, IS_JOINT>::STAGES;
	r->free = r->queries + 2;
	r->query_tiles = shared_of(smem) + 1024;
	r->joint = r->query_tiles + 2 * place<DIM, IS_JOINT>::QUERY_BYTES;
	r->tiles = r->joint + place<DIM, IS_JOINT>::JOINT_BYTES;
	if (threadIdx.x == 0) {
		for (int s = 0; s < place<DIM, IS_JOINT>::STAGES; s++) {
			barrier_init(r->full + s, 1);
			barrier_init(r->empty + s, (IS_JOINT ? 1 : GROUPS) * 4);
		}
		for (int i = 0; i < 2; i++) {
			barrier_init(r->queries + i, 1);
			barrier_init(r->free + i, IS_JOINT ? 1 : GROUPS);
		}
		barrier_publish();
	}
	__syncthreads();
}

template <int DIM, bool IS_JOINT>
__global__ void __launch_bounds__(THREADS, 1)
	blocks_of_queries(const __grid_constant__ CUtensorMap q, const __grid_constant__ CUtensorMap k,
			  const __grid_constant__ CUtensorMap v, const __grid_constant__ CUtensorMap o, problem p)
{
	extern __shared__ __align__(1024) char smem[];
	ring r;
	if (threadIdx.x == GROUPS * 128) { // who brings tiles
		map_fetch(&q);
		map_fetch(&k);
		map_fetch(&v);
		map_fetch(&o);
	}
	ring_open<DIM, IS_JOINT>(&r, smem);
	const int group = threadIdx.x / 128;
	if (group == GROUPS) {
		asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
		if (threadIdx.x % 128 == 0)
			bring<DIM, IS_JOINT>(r, q, k, v, p);
		return;
	}
	asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
	state<DIM> s;
	s.n = 0;
	if (!IS_JOINT && group == 1)
		group_pass(2, 256);
	for (int t = 0;; t++) {
		const work<place<DIM, IS_JOINT>::ROWS> w(p, t);
		if (!w.nr)
			break;
		const int of_group = IS_JOINT ? 0 : group * 64;
		const uint32_t queries =
			r.query_tiles + t % 2 * place<DIM, IS_JOINT>::QUERY_BYTES + of_group * 128;
		barrier_wait(r.queries + t % 2, t / 2 & 1);
		attend<DIM, IS_JOINT>(s, r, p, queries, w.row, w.last);
		s.n += 2 * (w.last + 1);
		if (IS_JOINT)
			join(s, p.scale, r.joint, t);
		if (!IS_JOINT || group == 0)
			store<DIM, IS_JOINT>(s, o, queries, w.row + of_group, w.head, r.free + t % 2);
	}
}

bool map_of(CUtensorMap *map, const __nv_bfloat16 *at, int64_t heads, int64_t seq, int64_t dim, unsigned box_rows)
{
	const cuuint64_t size[3] = { (cuuint64_t)dim, (cuuint64_t)seq, (cuuint64_t)heads };
	const cuuint64_t stride[2] = { (cuuint64_t)dim * sizeof(*at), (cuuint64_t)(seq * dim) * sizeof(*at) };
	const cuuint32_t box[3] = { 64, box_rows, 1 };
	const cuuint32_t step[3] = { 1, 1, 1 };
	return cuTensorMapEncodeTiled(map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 3, (void *)at, size, stride, box, step,
				      CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
				      CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
				      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}

struct operands {
	const __nv_bfloat16 *q, *k, *v;
	__nv_bfloat16 *o;
	int64_t batch, heads, heads_kv, seq;
};

template <int DIM, bool IS_JOINT> void launch(const operands &x, int units, cudaStream_t stream)
{
	const int64_t heads = x.batch * x.heads;
	const int64_t heads_kv = x.batch * x.heads_kv;
	CUtensorMap q, k, v, o;
	if (!map_of(&q, x.q, heads, x.seq, DIM, place<DIM, IS_JOINT>::ROWS) || !map_of(&k, x.k, heads_kv, x.seq, DIM, KEYS) ||
	    !map_of(&v, x.v, heads_kv, x.seq, DIM, KEYS) || !map_of(&o, x.o, heads, x.seq, DIM, 64))
		return;
	const int64_t blocks = (x.seq + place<DIM, IS_JOINT>::ROWS - 1) / place<DIM, IS_JOINT>::ROWS * heads;
	const problem p = { (int)heads, (int)(x.heads / x.heads_kv), (int)x.seq, 1.4426950408889634f / sqrtf(DIM) };
	cudaFuncSetAttribute(blocks_of_queries<DIM, IS_JOINT>, cudaFuncAttributeMaxDynamicSharedMemorySize, place<DIM, IS_JOINT>::BYTES);
	blocks_of_queries<DIM, IS_JOINT><<<(unsigned)(blocks < units ? blocks : units), THREADS, place<DIM, IS_JOINT>::BYTES, stream>>>(
		q, k, v, o, p);
}

template <int DIM> void attend_any(const operands &x, cudaStream_t stream)
{
	int units = 0;
	cudaDeviceGetAttribute(&units, cudaDevAttrMultiProcessorCount, 0);
	if ((x.seq + QUERIES - 1) / QUERIES * x.batch * x.heads * 2 <= units)
		launch<DIM, true>(x, units, stream);
	else
		launch<DIM, false>(x, units, stream);
}

} // namespace

extern "C" void attention(const __nv_bfloat16 *q, const __nv_bfloat16 *k, const __nv_bfloat16 *v, __nv_bfloat16 *o,
			  int64_t batch, int64_t heads, int64_t seq, int64_t dim, cudaStream_t stream)
{
	const operands x = { q, k, v, o, batch, heads, heads, seq };
	if (dim == 64)
		attend_any<64>(x, stream);
	else
		attend_any<128>(x, stream);
}
