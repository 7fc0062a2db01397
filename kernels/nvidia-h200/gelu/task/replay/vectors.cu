// forge-build: nvcc -O3
// Sixteen bytes a thread. What is left over at the end, at most seven elements, is the last block's.
#include <forge/kernel.h>

static constexpr int THREADS = 256;
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

static __device__ float gelu_of(float x)
{
	return 0.5f * x * (1 + erff(x * 0.70710678f));
}

static __global__ void __launch_bounds__(THREADS) each(const __nv_bfloat16 *x, __nv_bfloat16 *y, int64_t n)
{
	const int64_t vectors = n / LANES;
	const int64_t at = (int64_t)blockIdx.x * THREADS + threadIdx.x;
	const int64_t rest = LANES * vectors + threadIdx.x;
	if (blockIdx.x == gridDim.x - 1 && rest < n)
		y[rest] = __float2bfloat16_rn(gelu_of(__bfloat162float(x[rest])));
	if (at >= vectors)
		return;
	float value[LANES];
	unpack(__ldg((const uint4 *)x + at), value);
#pragma unroll
	for (int i = 0; i < LANES; i++)
		value[i] = gelu_of(value[i]);
	((uint4 *)y)[at] = pack(value);
}

extern "C" void gelu(const __nv_bfloat16 *x, __nv_bfloat16 *y, int64_t rows, int64_t cols, cudaStream_t stream)
{
	const int64_t n = rows * cols;
	const int64_t blocks = (n / LANES + THREADS - 1) / THREADS;
	each<<<(unsigned)(blocks ? blocks : 1), THREADS, 0, stream>>>(x, y, n);
}
