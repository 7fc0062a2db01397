// forge-build: nvcc -O3 --use_fast_math
// A block a row. Each sum and the result are passes of their own over it, and every pass reads it again.
#include <forge/kernel.h>

static constexpr int THREADS = 256;

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
	passes<<<(unsigned)rows, THREADS, 0, stream>>>(x, y, cols);
}
