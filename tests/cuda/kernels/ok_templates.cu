// expect: none
// fact: nr_kernels = 2
// Templates, a constant table, questions about the device.
#include <forge/kernel.h>

#include <cmath>

template <int N> __global__ void scale(const float *x, float *y, int64_t n, float s)
{
	constexpr float table[4] = { 0.5f, 1.0f, 2.0f, 4.0f };
	int64_t i = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) * N;
	for (int k = 0; k < N; k++)
		if (i + k < n)
			y[i + k] = x[i + k] * s * table[(i + k) % 4];
}

extern "C" void kernel(const float *x, float *y, int64_t n, float s, cudaStream_t stream)
{
	int sm = 0;
	int device = 0;
	cudaGetDevice(&device);
	cudaDeviceGetAttribute(&sm, cudaDevAttrMultiProcessorCount, device);
	const unsigned blocks = (unsigned)std::ceil((double)n / 1024);
	if (sm > 100)
		scale<4><<<blocks, 256, 0, stream>>>(x, y, n, s);
	else
		scale<1><<<4 * blocks, 256, 0, stream>>>(x, y, n, s);
}
