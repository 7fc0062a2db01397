// forge-build: nvcc -O3 --use_fast_math
// One read of a row: sixteen bytes a thread, at most four times, kept in registers until the mean of its
// squares is known. A short row is one warp's, a longer one a block's. Rows that do not begin at a multiple
// of sixteen bytes are kept in shared memory instead.
#include <forge/kernel.h>

static constexpr int VECTORS = 4; // of a thread
static constexpr int LANES = 8;   // elements in sixteen bytes

// Over the threads of a row; `part` is shared memory for one value a warp.
template <int THREADS> static __device__ float sum_over_row(float value, float *part)
{
	for (int step = 16; step; step /= 2)
		value += __shfl_xor_sync(0xffffffff, value, step);
	if (THREADS == 32)
		return value;
	if (threadIdx.x % 32 == 0)
		part[threadIdx.x / 32] = value;
	__syncthreads();
	value = threadIdx.x % 32 < THREADS / 32 ? part[threadIdx.x % 32] : 0;
	for (int step = 16; step; step /= 2)
		value += __shfl_xor_sync(0xffffffff, value, step);
	return value;
}

static __device__ float2 pair(const uint4 &from, int i)
{
	return __bfloat1622float2(((const __nv_bfloat162 *)&from)[i]);
}

static __device__ uint4 scaled(const uint4 &x, const uint4 &w, float scale)
{
	uint4 to;
	__nv_bfloat162 *pairs = (__nv_bfloat162 *)&to;
	for (int i = 0; i < LANES / 2; i++) {
		const float2 a = pair(x, i), b = pair(w, i);
		pairs[i] = __floats2bfloat162_rn(a.x * scale * b.x, a.y * scale * b.y);
	}
	return to;
}

// blockDim is (THREADS, rows of a block).
template <int THREADS>
static __global__ void __launch_bounds__(THREADS == 32 ? 128 : THREADS)
	in_registers(const uint4 *x, const uint4 *w, uint4 *y, int64_t rows, int vectors, float eps)
{
	__shared__ float part[32];
	const int64_t row = (int64_t)blockIdx.x * blockDim.y + threadIdx.y;
	uint4 value[VECTORS], weight[VECTORS];
	float squares = 0;
	if (row >= rows)
		return; // a whole warp's, where a block has several rows
#pragma unroll
	for (int v = 0; v < VECTORS; v++) {
		const int at = v * THREADS + threadIdx.x;
		if (at < vectors)
			value[v] = __ldcs(x + row * vectors + at);
	}
#pragma unroll
	for (int v = 0; v < VECTORS; v++) {
		const int at = v * THREADS + threadIdx.x;
		if (at >= vectors)
			continue;
		weight[v] = __ldg(w + at);
		for (int i = 0; i < LANES / 2; i++) {
			const float2 two = pair(value[v], i);
			squares += two.x * two.x + two.y * two.y;
		}
	}
	squares = sum_over_row<THREADS>(squares, part);
	const float scale = rsqrtf(squares / (float)(vectors * LANES) + eps);
#pragma unroll
	for (int v = 0; v < VECTORS; v++) {
		const int at = v * THREADS + threadIdx.x;
		if (at < vectors)
			__stcs(y + row * vectors + at, scaled(value[v], weight[v], scale));
	}
}

static constexpr int PLAIN_THREADS = 256;

static __global__ void __launch_bounds__(PLAIN_THREADS)
	in_shared_memory(const __nv_bfloat16 *x, const __nv_bfloat16 *w, __nv_bfloat16 *y, int64_t cols, float eps,
			 bool is_kept)
{
	extern __shared__ float kept[];
	__shared__ float part[32];
	const __nv_bfloat16 *from = x + blockIdx.x * cols;
	float squares = 0;
	for (int64_t c = threadIdx.x; c < cols; c += PLAIN_THREADS) {
		const float value = __bfloat162float(from[c]);
		if (is_kept)
			kept[c] = value;
		squares += value * value;
	}
	squares = sum_over_row<PLAIN_THREADS>(squares, part);
	const float scale = rsqrtf(squares / (float)cols + eps);
	for (int64_t c = threadIdx.x; c < cols; c += PLAIN_THREADS) {
		const float value = is_kept ? kept[c] : __bfloat162float(from[c]);
		y[blockIdx.x * cols + c] = __float2bfloat16_rn(value * scale * __bfloat162float(w[c]));
	}
}

template <int THREADS>
static void launch(const __nv_bfloat16 *x, const __nv_bfloat16 *w, __nv_bfloat16 *y, int64_t rows, int vectors, float eps,
	    cudaStream_t stream)
{
	const unsigned per_block = THREADS == 32 ? 4 : 1;
	in_registers<THREADS><<<(unsigned)((rows + per_block - 1) / per_block), dim3(THREADS, per_block), 0,
				stream>>>((const uint4 *)x, (const uint4 *)w, (uint4 *)y, rows, vectors, eps);
}

extern "C" void rmsnorm(const __nv_bfloat16 *x, const __nv_bfloat16 *w, __nv_bfloat16 *y, int64_t rows, int64_t cols,
			float eps, cudaStream_t stream)
{
	const int64_t vectors = cols / LANES;
	const bool is_even = cols % LANES == 0;
	const bool is_kept = cols * sizeof(float) <= 48 * 1024;
	if (is_even && vectors <= 32 * VECTORS)
		launch<32>(x, w, y, rows, (int)vectors, eps, stream);
	else if (is_even && vectors <= 128 * VECTORS)
		launch<128>(x, w, y, rows, (int)vectors, eps, stream);
	else if (is_even && vectors <= 256 * VECTORS)
		launch<256>(x, w, y, rows, (int)vectors, eps, stream);
	else if (is_even && vectors <= 1024 * VECTORS)
		launch<1024>(x, w, y, rows, (int)vectors, eps, stream);
	else
		in_shared_memory<<<(unsigned)rows, PLAIN_THREADS, is_kept ? cols * sizeof(float) : 0, stream>>>(
			x, w, y, cols, eps, is_kept);
}
