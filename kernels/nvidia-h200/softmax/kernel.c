// forge-build: nvcc -O3 --use_fast_math
// As many warps work on a row as leave each lane about four vectors of sixteen bytes, all asked for before the first
// is used. Rows may begin anywhere: whole vectors in the middle, and the few elements before and behind them, at
// most seven each, are one value of a lane. Rows too long for registers are read again for each pass.
#include <forge/kernel.h>

static constexpr float LOG2_E = 1.4426950408889634f;
static constexpr uint32_t NONE = 0xff80ff80u; // minus infinity, twice
static constexpr int LANES = 8; // elements in sixteen bytes

static __device__ void unpack(const uint4 &from, float *to)
{
	const uint32_t words[4] = { from.x, from.y, from.z, from.w };
#pragma unroll
	for (int i = 0; i < 4; i++) {
		to[2 * i] = __uint_as_float(words[i] << 16);
		to[2 * i + 1] = __uint_as_float(words[i] & 0xffff0000u);
	}
}

static __device__ uint32_t pair(float low, float high)
{
	const __nv_bfloat162 two = __floats2bfloat162_rn(low, high);
	return *(const uint32_t *)&two;
}

static __device__ uint4 pack(const float *from)
{
	return make_uint4(pair(from[0], from[1]), pair(from[2], from[3]), pair(from[4], from[5]),
			  pair(from[6], from[7]));
}

// Over the W warps of a row; `part` has room for one value of each.
template <int W> static __device__ float sum_of_row(float value, float *part)
{
	for (int step = 16; step; step /= 2)
		value += __shfl_xor_sync(~0u, value, step);
	if (W == 1)
		return value;
	__syncthreads(); // who still reads what was added up before
	if (threadIdx.x % 32 == 0)
		part[threadIdx.x / 32] = value;
	__syncthreads();
	value = 0;
#pragma unroll
	for (int i = 0; i < W; i++)
		value += part[i];
	return value;
}

template <int W> static __device__ float largest_of_row(float value, float *part)
{
	for (int step = 16; step; step /= 2)
		value = fmaxf(value, __shfl_xor_sync(~0u, value, step));
	if (W == 1)
		return value;
	__syncthreads();
	if (threadIdx.x % 32 == 0)
		part[threadIdx.x / 32] = value;
	__syncthreads();
	value = part[0];
#pragma unroll
	for (int i = 1; i < W; i++)
		value = fmaxf(value, part[i]);
	return value;
}

// Of two pairs, each half by itself.
static __device__ uint32_t larger(uint32_t a, uint32_t b)
{
	const __nv_bfloat162 of = __hmax2(*(const __nv_bfloat162 *)&a, *(const __nv_bfloat162 *)&b);
	return *(const uint32_t *)&of;
}

static __device__ uint32_t largest_pair(const uint4 &of)
{
	return larger(larger(of.x, of.y), larger(of.z, of.w));
}

// blockDim is (32 W, rows of a block). EVEN: every row is whole vectors.
template <int W, int V, bool EVEN>
static __global__ void __launch_bounds__(W == 1 ? 128 : 32 * W)
	in_registers(const __nv_bfloat16 *x, __nv_bfloat16 *y, int64_t rows, int64_t cols)
{
	__shared__ float part[W];
	const int64_t row = (int64_t)blockIdx.x * blockDim.y + threadIdx.y;
	if (row >= rows)
		return; // a whole warp's, where a block has several rows
	const int64_t start = row * cols;
	const int head = EVEN ? 0 : (int)(-start & (LANES - 1));
	const int vectors = (int)(cols - head) / LANES;
	const uint4 *from = (const uint4 *)(x + start + head);
	uint4 *to = (uint4 *)(y + start + head);
	uint4 raw[V];
	float value[LANES];
#pragma unroll
	for (int v = 0; v < V; v++) {
		const int at = v * 32 * W + threadIdx.x;
		raw[v] = at < vectors ? __ldg(from + at) : make_uint4(0, 0, 0, 0);
	}
	const int lane = threadIdx.x;
	const int edge_at = lane < head ? lane : lane + LANES * vectors;
	const bool has_edge = !EVEN && lane < 2 * LANES && edge_at < cols;
	const float edge = has_edge ? __bfloat162float(x[start + edge_at]) : 0;
	uint32_t two = NONE;
#pragma unroll
	for (int v = 0; v < V; v++)
		if (v * 32 * W + (int)threadIdx.x < vectors)
			two = larger(two, largest_pair(raw[v]));
	const float top =
		LOG2_E * largest_of_row<W>(fmaxf(fmaxf(__uint_as_float(two << 16),
						       __uint_as_float(two & 0xffff0000u)),
						 has_edge ? edge : -INFINITY),
					   part);
	float sum = has_edge ? exp2f(fmaf(edge, LOG2_E, -top)) : 0;
#pragma unroll
	for (int v = 0; v < V; v++) {
		if (v * 32 * W + (int)threadIdx.x >= vectors)
			continue;
		unpack(raw[v], value);
#pragma unroll
		for (int i = 0; i < LANES; i++)
			sum += exp2f(fmaf(value[i], LOG2_E, -top));
	}
	const float scale = 1 / sum_of_row<W>(sum, part);
	if (has_edge)
		y[start + edge_at] = __float2bfloat16_rn(exp2f(fmaf(edge, LOG2_E, -top)) * scale);
#pragma unroll
	for (int v = 0; v < V; v++) {
		const int at = v * 32 * W + threadIdx.x;
		if (at >= vectors)
			continue;
		unpack(raw[v], value);
#pragma unroll
		for (int i = 0; i < LANES; i++)
			value[i] = exp2f(fmaf(value[i], LOG2_E, -top)) * scale;
		to[at] = pack(value);
	}
}

static constexpr int THREADS = 256;

static __global__ void __launch_bounds__(THREADS)
	passes(const __nv_bfloat16 *x, __nv_bfloat16 *y, int64_t cols)
{
	__shared__ float part[THREADS / 32];
	const __nv_bfloat16 *from = x + blockIdx.x * cols;
	__nv_bfloat16 *to = y + blockIdx.x * cols;
	float top = -INFINITY, sum = 0;
	for (int64_t c = threadIdx.x; c < cols; c += THREADS)
		top = fmaxf(top, __bfloat162float(from[c]));
	top = largest_of_row<THREADS / 32>(top, part);
	for (int64_t c = threadIdx.x; c < cols; c += THREADS)
		sum += expf(__bfloat162float(from[c]) - top);
	const float scale = 1 / sum_of_row<THREADS / 32>(sum, part);
	for (int64_t c = threadIdx.x; c < cols; c += THREADS)
		to[c] = __float2bfloat16_rn(expf(__bfloat162float(from[c]) - top) * scale);
}

template <int W, int V, bool EVEN>
static void launch(const __nv_bfloat16 *x, __nv_bfloat16 *y, int64_t rows, int64_t cols, cudaStream_t stream)
{
	const unsigned per_block = W == 1 ? 2 : 1;
	in_registers<W, V, EVEN><<<(unsigned)((rows + per_block - 1) / per_block), dim3(32 * W, per_block), 0,
				   stream>>>(x, y, rows, cols);
}

extern "C" void softmax(const __nv_bfloat16 *x, __nv_bfloat16 *y, int64_t rows, int64_t cols,
		        cudaStream_t stream)
{
	const int64_t vectors = cols / LANES;
	const bool is_even = cols % LANES == 0;
	if (is_even && vectors <= 128)
		launch<2, 2, true>(x, y, rows, cols, stream);
	else if (is_even && vectors <= 512)
		launch<4, 4, true>(x, y, rows, cols, stream);
	else if (is_even && vectors <= 1024)
		launch<8, 4, true>(x, y, rows, cols, stream);
	else if (vectors <= 192)
		launch<3, 2, false>(x, y, rows, cols, stream);
	else if (vectors <= 4096)
		launch<32, 4, false>(x, y, rows, cols, stream);
	else
		passes<<<(unsigned)rows, THREADS, 0, stream>>>(x, y, cols);
}
