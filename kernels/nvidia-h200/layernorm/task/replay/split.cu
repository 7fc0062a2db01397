// forge-build: nvcc -O3
// As many warps work on a row as leave each lane about four vectors of sixteen bytes, all asked for before the first
// is used. Rows may begin anywhere: whole vectors in the middle, and the few elements before and behind them, at
// most seven each, are one value of a lane. Rows too long for registers are read again for each pass.
#include <forge/kernel.h>

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

// Eight neighbours of what all rows share; where they begin anywhere, one by one.
template <bool EVEN> static __device__ void common(const __nv_bfloat16 *from, float *to)
{
	const bool is_whole = EVEN;
	if (is_whole)
		unpack(__ldg((const uint4 *)from), to);
#pragma unroll
	for (int i = 0; i < LANES && !is_whole; i++)
		to[i] = __bfloat162float(__ldg(from + i));
}

// blockDim is (32 W, rows of a block). EVEN: every row is whole vectors.
template <int W, int V, bool EVEN>
static __global__ void __launch_bounds__(W == 1 ? 128 : 32 * W)
	in_registers(const __nv_bfloat16 *x, const __nv_bfloat16 *w, const __nv_bfloat16 *b,
		     __nv_bfloat16 *y, int64_t rows, int64_t cols, float eps)
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
	float sum = edge;
#pragma unroll
	for (int v = 0; v < V; v++) {
		unpack(raw[v], value);
#pragma unroll
		for (int i = 0; i < LANES; i++)
			sum += value[i];
	}
	const float mean = sum_of_row<W>(sum, part) / (float)cols;
	sum = has_edge ? (edge - mean) * (edge - mean) : 0;
#pragma unroll
	for (int v = 0; v < V; v++) {
		if (v * 32 * W + (int)threadIdx.x >= vectors)
			continue;
		unpack(raw[v], value);
#pragma unroll
		for (int i = 0; i < LANES; i++)
			sum = fmaf(value[i] - mean, value[i] - mean, sum);
	}
	const float scale = rsqrtf(sum_of_row<W>(sum, part) / (float)cols + eps);
	if (has_edge)
		y[start + edge_at] = __float2bfloat16_rn(fmaf((edge - mean) * scale, __bfloat162float(w[edge_at]),
							       __bfloat162float(b[edge_at])));
#pragma unroll
	for (int v = 0; v < V; v++) {
		const int at = v * 32 * W + threadIdx.x;
		if (at >= vectors)
			continue;
		unpack(raw[v], value);
		float weight[LANES];
		common<EVEN>(w + head + LANES * at, weight);
		float bias[LANES];
		common<EVEN>(b + head + LANES * at, bias);
#pragma unroll
		for (int i = 0; i < LANES; i++)
			value[i] = fmaf((value[i] - mean) * scale, weight[i], bias[i]);
		to[at] = pack(value);
	}
}

static constexpr int THREADS = 256;

static __global__ void __launch_bounds__(THREADS)
	passes(const __nv_bfloat16 *x, const __nv_bfloat16 *w, const __nv_bfloat16 *b, __nv_bfloat16 *y,
	      int64_t cols, float eps)
{
	__shared__ float part[THREADS / 32];
	const __nv_bfloat16 *from = x + blockIdx.x * cols;
	__nv_bfloat16 *to = y + blockIdx.x * cols;
	float sum = 0, squares = 0;
	for (int64_t c = threadIdx.x; c < cols; c += THREADS)
		sum += __bfloat162float(from[c]);
	const float mean = sum_of_row<THREADS / 32>(sum, part) / (float)cols;
	for (int64_t c = threadIdx.x; c < cols; c += THREADS) {
		const float value = __bfloat162float(from[c]) - mean;
		squares = fmaf(value, value, squares);
	}
	const float scale = rsqrtf(sum_of_row<THREADS / 32>(squares, part) / (float)cols + eps);
	for (int64_t c = threadIdx.x; c < cols; c += THREADS)
		to[c] = __float2bfloat16_rn(fmaf((__bfloat162float(from[c]) - mean) * scale, __bfloat162float(w[c]),
						 __bfloat162float(b[c])));
}

template <int W, int V, bool EVEN>
static void launch(const __nv_bfloat16 *x, const __nv_bfloat16 *w, const __nv_bfloat16 *b,
		   __nv_bfloat16 *y, int64_t rows, int64_t cols, float eps, cudaStream_t stream)
{
	const unsigned per_block = W == 1 ? 2 : 1;
	in_registers<W, V, EVEN><<<(unsigned)((rows + per_block - 1) / per_block), dim3(32 * W, per_block), 0,
				   stream>>>(x, w, b, y, rows, cols, eps);
}

extern "C" void layernorm(const __nv_bfloat16 *x, const __nv_bfloat16 *w, const __nv_bfloat16 *b,
			  __nv_bfloat16 *y, int64_t rows, int64_t cols, float eps, cudaStream_t stream)
{
	const int64_t vectors = cols / LANES;
	const bool is_even = cols % LANES == 0;
	if (is_even && vectors <= 128)
		launch<1, 4, true>(x, w, b, y, rows, cols, eps, stream);
	else if (is_even && vectors <= 512)
		launch<4, 4, true>(x, w, b, y, rows, cols, eps, stream);
	else if (is_even && vectors <= 1024)
		launch<8, 4, true>(x, w, b, y, rows, cols, eps, stream);
	else if (vectors <= 192)
		launch<3, 2, false>(x, w, b, y, rows, cols, eps, stream);
	else if (vectors <= 4096)
		launch<32, 4, false>(x, w, b, y, rows, cols, eps, stream);
	else
		passes<<<(unsigned)rows, THREADS, 0, stream>>>(x, w, b, y, cols, eps);
}
