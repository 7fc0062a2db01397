// forge-build: nvcc -O3
// A thread an element, by the definition.
#include <forge/kernel.h>

static constexpr int THREADS = 256;

static __global__ void __launch_bounds__(THREADS) each(const __nv_bfloat16 *x, __nv_bfloat16 *y, int64_t n)
{
	const int64_t at = (int64_t)blockIdx.x * THREADS + threadIdx.x;
	if (at >= n)
		return;
	const float value = __bfloat162float(x[at]);
	y[at] = __float2bfloat16_rn(0.5f * value * (1 + erff(value * 0.70710678f)));
}

extern "C" void gelu(const __nv_bfloat16 *x, __nv_bfloat16 *y, int64_t rows, int64_t cols, cudaStream_t stream)
{
	const int64_t n = rows * cols;
	each<<<(unsigned)((n + THREADS - 1) / THREADS), THREADS, 0, stream>>>(x, y, n);
}
