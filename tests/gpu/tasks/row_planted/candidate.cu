/* With as many multiplications by one more as it is told, in 32nds: that many of 32 blocks do one. */
#include <forge/kernel.h>

static __global__ void copy(const float *x, float *y, int64_t n, float one, int64_t extra)
{
	const int64_t step = (int64_t)gridDim.x * blockDim.x;
	const int64_t more = extra / 32 + (blockIdx.x % 32 < extra % 32);
	for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
		float v = 0.5f * x[i];
		for (int64_t k = 0; k <= more; k++)
			v *= one;
		y[i] = v;
	}
}

extern "C" void row_planted(const float *x, float *y, int64_t n, float one, int64_t extra,
			    cudaStream_t stream)
{
	const int64_t blocks = (n + 255) / 256;
	copy<<<(unsigned)(blocks < 2112 ? blocks : 2112), 256, 0, stream>>>(x, y, n, one, extra);
}
