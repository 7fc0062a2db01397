// forge-build: nvcc -O3 --use_fast_math
// One read of a row, sixteen bytes a thread and access, kept in the registers of a block until it is written.
// Rows that do not begin at a multiple of sixteen bytes, or are too long, are read again for each pass.
#include <forge/kernel.h>

static constexpr int THREADS = 256;
static constexpr int V = 4; // vectors of a thread
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

static __global__ void __launch_bounds__(THREADS)
	in_registers(const __nv_bfloat16 *x, __nv_bfloat16 *y, int64_t cols)
{
	__shared__ float part[THREADS / 32];
	const uint4 *from = (const uint4 *)(x + blockIdx.x * cols);
	uint4 *to = (uint4 *)(y + blockIdx.x * cols);
	const int vectors = (int)cols / LANES;
	uint4 raw[V];
	float value[LANES];
#pragma unroll
	for (int v = 0; v < V; v++) {
		const int at = v * THREADS + threadIdx.x;
		raw[v] = at < vectors ? from[at] : make_uint4(0, 0, 0, 0);
	}
	float top = -INFINITY, sum = 0;
#pragma unroll
	for (int v = 0; v < V; v++) {
		if (v * THREADS + (int)threadIdx.x >= vectors)
			continue;
		unpack(raw[v], value);
#pragma unroll
		for (int i = 0; i < LANES; i++)
			top = fmaxf(top, value[i]);
	}
	top = largest_of_row<THREADS / 32>(top, part);
#pragma unroll
	for (int v = 0; v < V; v++) {
		if (v * THREADS + (int)threadIdx.x >= vectors)
			continue;
		unpack(raw[v], value);
#pragma unroll
		for (int i = 0; i < LANES; i++)
			sum += expf(value[i] - top);
	}
	const float scale = 1 / sum_of_row<THREADS / 32>(sum, part);
#pragma unroll
	for (int v = 0; v < V; v++) {
		const int at = v * THREADS + threadIdx.x;
		if (at >= vectors)
			continue;
		unpack(raw[v], value);
#pragma unroll
		for (int i = 0; i < LANES; i++)
			value[i] = expf(value[i] - top) * scale;
		to[at] = pack(value);
	}
}

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

extern "C" void softmax(const __nv_bfloat16 *x, __nv_bfloat16 *y, int64_t rows, int64_t cols,
		        cudaStream_t stream)
{
	if (cols % LANES == 0 && cols / LANES <= V * THREADS)
		in_registers<<<(unsigned)rows, THREADS, 0, stream>>>(x, y, cols);
	else
		passes<<<(unsigned)rows, THREADS, 0, stream>>>(x, y, cols);
}
