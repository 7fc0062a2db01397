// forge-build: nvcc -O3 --use_fast_math
// One read of a row: sixteen bytes a thread, at most four times, kept in registers between the maximum,
// the sum and the quotient. A short row is one warp's, a longer one a block's. Rows that do not begin at
// a multiple of sixteen bytes are kept in shared memory instead.
#include <forge/kernel.h>

static constexpr int VECTORS = 4; // of a thread
static constexpr int LANES = 8;   // elements in sixteen bytes
static constexpr float NONE = -INFINITY;

struct larger {
	static __device__ float of(float a, float b) { return fmaxf(a, b); }
	static __device__ float start() { return NONE; }
};
struct sum {
	static __device__ float of(float a, float b) { return a + b; }
	static __device__ float start() { return 0; }
};

// Over the threads of a row; `part` is shared memory for one value a warp.
template <typename OP, int THREADS> static __device__ float over_row(float value, float *part)
{
	for (int step = 16; step; step /= 2)
		value = OP::of(value, __shfl_xor_sync(0xffffffff, value, step));
	if (THREADS == 32)
		return value;
	const int warp = threadIdx.x / 32;
	__syncthreads(); // who still reads what was reduced before
	if (threadIdx.x % 32 == 0)
		part[warp] = value;
	__syncthreads();
	value = threadIdx.x % 32 < THREADS / 32 ? part[threadIdx.x % 32] : OP::start();
	for (int step = 16; step; step /= 2)
		value = OP::of(value, __shfl_xor_sync(0xffffffff, value, step));
	return value;
}

static __device__ void unpack(const uint4 &from, float *to)
{
	const __nv_bfloat162 *pairs = (const __nv_bfloat162 *)&from;
	for (int i = 0; i < LANES / 2; i++) {
		const float2 two = __bfloat1622float2(pairs[i]);
		to[2 * i] = two.x;
		to[2 * i + 1] = two.y;
	}
}

static __device__ uint4 pack(const float *from, float scale)
{
	uint4 to;
	__nv_bfloat162 *pairs = (__nv_bfloat162 *)&to;
	for (int i = 0; i < LANES / 2; i++)
		pairs[i] = __floats2bfloat162_rn(from[2 * i] * scale, from[2 * i + 1] * scale);
	return to;
}

// blockDim is (THREADS, rows of a block).
template <int THREADS>
static __global__ void __launch_bounds__(THREADS == 32 ? 128 : THREADS)
	in_registers(const uint4 *x, uint4 *y, int64_t rows, int vectors)
{
	__shared__ float part[32];
	const int64_t row = (int64_t)blockIdx.x * blockDim.y + threadIdx.y;
	float value[VECTORS][LANES];
	float top = NONE, total = 0;
	if (row >= rows)
		return; // a whole warp's, where a block has several rows
	uint4 raw[VECTORS];
#pragma unroll
	for (int v = 0; v < VECTORS; v++) {
		const int at = v * THREADS + threadIdx.x;
		if (at < vectors)
			raw[v] = __ldcs(x + row * vectors + at);
	}
#pragma unroll
	for (int v = 0; v < VECTORS; v++) {
		if (v * THREADS + threadIdx.x >= vectors)
			continue;
		unpack(raw[v], value[v]);
		for (int i = 0; i < LANES; i++)
			top = fmaxf(top, value[v][i]);
	}
	top = over_row<larger, THREADS>(top, part);
#pragma unroll
	for (int v = 0; v < VECTORS; v++) {
		if (v * THREADS + threadIdx.x >= vectors)
			continue;
		for (int i = 0; i < LANES; i++) {
			value[v][i] = __expf(value[v][i] - top);
			total += value[v][i];
		}
	}
	const float scale = 1 / over_row<sum, THREADS>(total, part);
#pragma unroll
	for (int v = 0; v < VECTORS; v++) {
		const int at = v * THREADS + threadIdx.x;
		if (at < vectors)
			__stcs(y + row * vectors + at, pack(value[v], scale));
	}
}

static constexpr int PLAIN_THREADS = 256;

static __global__ void __launch_bounds__(PLAIN_THREADS)
	in_shared_memory(const __nv_bfloat16 *x, __nv_bfloat16 *y, int64_t cols, bool is_kept)
{
	extern __shared__ float kept[];
	__shared__ float part[32];
	const __nv_bfloat16 *from = x + blockIdx.x * cols;
	float top = NONE, total = 0;
	for (int64_t c = threadIdx.x; c < cols; c += PLAIN_THREADS) {
		const float value = __bfloat162float(from[c]);
		if (is_kept)
			kept[c] = value;
		top = fmaxf(top, value);
	}
	top = over_row<larger, PLAIN_THREADS>(top, part);
	for (int64_t c = threadIdx.x; c < cols; c += PLAIN_THREADS) {
		const float value = __expf((is_kept ? kept[c] : __bfloat162float(from[c])) - top);
		if (is_kept)
			kept[c] = value;
		total += value;
	}
	const float scale = 1 / over_row<sum, PLAIN_THREADS>(total, part);
	for (int64_t c = threadIdx.x; c < cols; c += PLAIN_THREADS) {
		const float value = is_kept ? kept[c] : __expf(__bfloat162float(from[c]) - top);
		y[blockIdx.x * cols + c] = __float2bfloat16_rn(value * scale);
	}
}

template <int THREADS>
static void launch(const __nv_bfloat16 *x, __nv_bfloat16 *y, int64_t rows, int vectors, cudaStream_t stream)
{
	const unsigned per_block = THREADS == 32 ? 4 : 1;
	in_registers<THREADS><<<(unsigned)((rows + per_block - 1) / per_block), dim3(THREADS, per_block), 0,
				stream>>>((const uint4 *)x, (uint4 *)y, rows, vectors);
}

extern "C" void softmax(const __nv_bfloat16 *x, __nv_bfloat16 *y, int64_t rows, int64_t cols, cudaStream_t stream)
{
	const int64_t vectors = cols / LANES;
	const bool is_even = cols % LANES == 0;
	const bool is_kept = cols * sizeof(float) <= 48 * 1024;
	if (is_even && vectors <= 32 * VECTORS)
		launch<32>(x, y, rows, (int)vectors, stream);
	else if (is_even && vectors <= 128 * VECTORS)
		launch<128>(x, y, rows, (int)vectors, stream);
	else if (is_even && vectors <= 256 * VECTORS)
		launch<256>(x, y, rows, (int)vectors, stream);
	else if (is_even && vectors <= 1024 * VECTORS)
		launch<1024>(x, y, rows, (int)vectors, stream);
	else
		in_shared_memory<<<(unsigned)rows, PLAIN_THREADS, is_kept ? cols * sizeof(float) : 0, stream>>>(
			x, y, cols, is_kept);
}
