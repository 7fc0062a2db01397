// What this GPU reaches: a copy in its memory, its matrix units, its f32 units. Compiled by nvcc on the
// machine that it measures (src/build/gpu_measure.c) and run once; prints "name value" lines. Each rate is
// the best of many windows of some milliseconds, which is right for a ceiling and only for a ceiling. Data
// are random: a device that computes with zeros runs faster than it ever will.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#define CHECK(call) check(call, #call)

static void check(cudaError_t code, const char *call)
{
	if (code == cudaSuccess)
		return;
	std::fprintf(stderr, "%s: %s\n", call, cudaGetErrorString(code));
	std::exit(1);
}

static __device__ uint32_t mix(uint32_t x)
{
	x = (x ^ (x >> 16)) * 0x7feb352du;
	x = (x ^ (x >> 15)) * 0x846ca68bu;
	return x ^ (x >> 16);
}

// Two bf16 of magnitude 0.5 to 2 and either sign.
static __device__ uint32_t bf16_pair(uint32_t seed)
{
	return (mix(seed) & 0x80ff80ffu) | 0x3f003f00u;
}

// --- copy

static __global__ void fill(uint4 *to, size_t n)
{
	const size_t step = (size_t)gridDim.x * blockDim.x;
	for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += step) {
		const uint32_t k = (uint32_t)i * 4;
		to[i] = make_uint4(mix(k), mix(k + 1), mix(k + 2), mix(k + 3));
	}
}

// Four loads are on their way before the first is stored.
static __global__ void copy(const uint4 *__restrict__ from, uint4 *__restrict__ to, size_t n)
{
	const size_t step = (size_t)gridDim.x * blockDim.x;
	size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
	for (; i + 3 * step < n; i += 4 * step) {
		const uint4 a = from[i], b = from[i + step], c = from[i + 2 * step], d = from[i + 3 * step];
		to[i] = a;
		to[i + step] = b;
		to[i + 2 * step] = c;
		to[i + 3 * step] = d;
	}
	for (; i < n; i += step)
		to[i] = from[i];
}

// --- matrix units

enum { MATRIX_THREADS = 256, MATRIX_STEPS = 512, TILES = 8, TILE_WORDS = 1024 };

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
// 64 x 128 x 16 by a warp group: A in registers, B a tile of shared memory, without swizzle.
static __device__ void wgmma(float (&d)[64], const uint32_t (&a)[4], uint64_t b)
{
	asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %69, 0;\n"
		"wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {"
		"%0, %1, %2, %3, %4, %5, %6, %7, "
		"%8, %9, %10, %11, %12, %13, %14, %15, "
		"%16, %17, %18, %19, %20, %21, %22, %23, "
		"%24, %25, %26, %27, %28, %29, %30, %31, "
		"%32, %33, %34, %35, %36, %37, %38, %39, "
		"%40, %41, %42, %43, %44, %45, %46, %47, "
		"%48, %49, %50, %51, %52, %53, %54, %55, "
		"%56, %57, %58, %59, %60, %61, %62, %63 "
		"}, {%64, %65, %66, %67}, %68, p, 1, 1, 0;\n}"
		: "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]),
		  "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]),
		  "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]),
		  "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]),
		  "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]),
		  "+f"(d[40]), "+f"(d[41]), "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]),
		  "+f"(d[48]), "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]),
		  "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63])
		: "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(1));
}

// Address, and the distances of the 8 x 16 byte blocks along k and along n, in units of 16 bytes.
static __device__ uint64_t tile_descriptor(const uint32_t *tile)
{
	const uint64_t at = (uint64_t)__cvta_generic_to_shared(tile) >> 4;
	return (at & 0x3fff) | (uint64_t)(128 >> 4) << 16 | (uint64_t)(256 >> 4) << 32;
}
#endif

enum { WARP_GROUP_FLOPS = 2 * 64 * 128 * 16, WARP_FLOPS = 2 * 16 * 8 * 16, WARP_SUMS = 8 };

static __global__ void __launch_bounds__(MATRIX_THREADS, 2) matrix(float *out)
{
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
	__shared__ __align__(1024) uint32_t tiles[TILES * TILE_WORDS];
	float d[64];
	uint32_t a[4];
	for (unsigned i = threadIdx.x; i < TILES * TILE_WORDS; i += blockDim.x)
		tiles[i] = bf16_pair(i + blockIdx.x * 7919);
#pragma unroll
	for (int i = 0; i < 4; i++)
		a[i] = bf16_pair(threadIdx.x * 4 + i + 1000003);
#pragma unroll
	for (int i = 0; i < 64; i++)
		d[i] = 0;
	asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
	__syncthreads();
	const uint64_t first = tile_descriptor(tiles);
	for (int step = 0; step < MATRIX_STEPS; step++) {
		asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
		for (int t = 0; t < TILES; t++)
			wgmma(d, a, first + t * (TILE_WORDS * 4 >> 4));
		asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
		asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
	}
	float sum = 0;
#pragma unroll
	for (int i = 0; i < 64; i++)
		sum += d[i];
#else
	float d[WARP_SUMS][4] = {};
	uint32_t a[4], b[WARP_SUMS][2];
#pragma unroll
	for (int i = 0; i < 4; i++)
		a[i] = bf16_pair(threadIdx.x * 4 + i + 1000003);
#pragma unroll
	for (int i = 0; i < 2 * WARP_SUMS; i++)
		b[i / 2][i % 2] = bf16_pair(threadIdx.x * 16 + i + blockIdx.x * 7919);
	for (int step = 0; step < MATRIX_STEPS * TILES; step++) {
#pragma unroll
		for (int k = 0; k < WARP_SUMS; k++)
			asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, "
				     "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
				     : "+f"(d[k][0]), "+f"(d[k][1]), "+f"(d[k][2]), "+f"(d[k][3])
				     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[k][0]), "r"(b[k][1]));
	}
	float sum = 0;
#pragma unroll
	for (int i = 0; i < 4 * WARP_SUMS; i++)
		sum += d[i / 4][i % 4];
#endif
	out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Operations of a block of `matrix`, and by which instruction.
static __global__ void matrix_is(double *flops, int *is_wgmma)
{
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
	*flops = (double)MATRIX_THREADS / 128 * MATRIX_STEPS * TILES * WARP_GROUP_FLOPS;
	*is_wgmma = 1;
#else
	*flops = (double)MATRIX_THREADS / 32 * MATRIX_STEPS * TILES * WARP_SUMS * WARP_FLOPS;
	*is_wgmma = 0;
#endif
}

// --- f32 units

enum { F32_THREADS = 256, F32_STEPS = 16384, F32_SUMS = 16 };

static __global__ void f32(float *out)
{
	float sums[F32_SUMS];
	const float factor = 0.999f + 1e-6f * threadIdx.x;
	const float term = 1e-3f * (1 + blockIdx.x);
#pragma unroll
	for (int k = 0; k < F32_SUMS; k++)
		sums[k] = (float)k;
	for (int step = 0; step < F32_STEPS; step++) {
#pragma unroll
		for (int k = 0; k < F32_SUMS; k++)
			sums[k] = fmaf(sums[k], factor, term);
	}
	float sum = 0;
#pragma unroll
	for (int k = 0; k < F32_SUMS; k++)
		sum += sums[k];
	out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// --- windows

struct machine {
	int nr_sm;
	size_t bytes; // of each buffer
	uint4 *from;
	uint4 *to;
	float *out;
};

typedef void (*work_fn)(const machine &m);

static void run_copy(const machine &m)
{
	copy<<<m.nr_sm * 8, 256>>>(m.from, m.to, m.bytes / sizeof(uint4));
}

static void run_driver_copy(const machine &m)
{
	CHECK(cudaMemcpyAsync(m.to, m.from, m.bytes, cudaMemcpyDeviceToDevice, 0));
}

static void run_matrix(const machine &m)
{
	matrix<<<m.nr_sm * 2, MATRIX_THREADS>>>(m.out);
}

static void run_f32(const machine &m)
{
	f32<<<m.nr_sm * 8, F32_THREADS>>>(m.out);
}

static double window_s(work_fn work, const machine &m, int nr)
{
	cudaEvent_t begin, end;
	float ms = 0;
	CHECK(cudaEventCreate(&begin));
	CHECK(cudaEventCreate(&end));
	CHECK(cudaEventRecord(begin, 0));
	for (int i = 0; i < nr; i++)
		work(m);
	CHECK(cudaEventRecord(end, 0));
	CHECK(cudaGetLastError());
	CHECK(cudaEventSynchronize(end));
	CHECK(cudaEventElapsedTime(&ms, begin, end));
	CHECK(cudaEventDestroy(begin));
	CHECK(cudaEventDestroy(end));
	return ms / 1e3;
}

// The first windows bring the clocks up. A window is at least some milliseconds: the start of a launch does
// not count in it.
static double best_s(work_fn work, const machine &m)
{
	const double window = 4e-3, whole = 0.5;
	const double once = window_s(work, m, 2) / 2;
	const int nr = once > 0 && once < window ? (int)(window / once) + 1 : 1;
	double best = 1e9, spent = 0;
	while (spent < whole) {
		const double s = window_s(work, m, nr);
		spent += s + 1e-6;
		best = s / nr < best ? s / nr : best;
	}
	return best;
}

static void measure_copy(const machine &m)
{
	const double own = best_s(run_copy, m);
	const double driver = best_s(run_driver_copy, m);
	std::printf("copy_bytes_per_s %.6e\n", 2.0 * (double)m.bytes / (own < driver ? own : driver));
}

static void measure_matrix(const machine &m)
{
	double flops = 0, *flops_there = nullptr;
	int is_wgmma = 0, *is_wgmma_there = nullptr;
	CHECK(cudaMalloc(&flops_there, sizeof(flops)));
	CHECK(cudaMalloc(&is_wgmma_there, sizeof(is_wgmma)));
	matrix_is<<<1, 1>>>(flops_there, is_wgmma_there);
	CHECK(cudaMemcpy(&flops, flops_there, sizeof(flops), cudaMemcpyDeviceToHost));
	CHECK(cudaMemcpy(&is_wgmma, is_wgmma_there, sizeof(is_wgmma), cudaMemcpyDeviceToHost));
	std::printf("matrix_flops_per_s %.6e\n", flops * m.nr_sm * 2 / best_s(run_matrix, m));
	std::printf("matrix_method %s\n", is_wgmma ? "wgmma" : "mma.sync");
}

static void measure_f32(const machine &m)
{
	const double flops = 2.0 * F32_SUMS * F32_STEPS * F32_THREADS * 8 * m.nr_sm;
	std::printf("f32_flops_per_s %.6e\n", flops / best_s(run_f32, m));
}

// Many times the second-level cache, and no more than a quarter of what is free.
static size_t buffer_bytes(size_t l2)
{
	size_t free_bytes = 0, all_bytes = 0;
	CHECK(cudaMemGetInfo(&free_bytes, &all_bytes));
	const size_t wanted = l2 * 16 < (size_t)512 << 20 ? (size_t)512 << 20 : l2 * 16;
	const size_t most = free_bytes / 4;
	return (wanted < most ? wanted : most) / 4096 * 4096;
}

int main()
{
	machine m = {};
	int l2 = 0;
	CHECK(cudaSetDevice(0));
	CHECK(cudaDeviceGetAttribute(&m.nr_sm, cudaDevAttrMultiProcessorCount, 0));
	CHECK(cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, 0));
	m.bytes = buffer_bytes((size_t)l2);
	CHECK(cudaMalloc(&m.from, m.bytes));
	CHECK(cudaMalloc(&m.to, m.bytes));
	CHECK(cudaMalloc(&m.out, (size_t)m.nr_sm * 8 * 256 * sizeof(float)));
	fill<<<m.nr_sm * 8, 256>>>(m.from, m.bytes / sizeof(uint4));
	CHECK(cudaDeviceSynchronize());
	measure_copy(m);
	measure_matrix(m);
	measure_f32(m);
	return 0;
}
