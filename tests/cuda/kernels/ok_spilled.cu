// expect: none
// fact: registers <= 32
// fact: spill_store_bytes >= 4
// fact: spill_load_bytes >= 4
// fact: stack_bytes >= 4
// fact: sass_stl? >= 1
// fact: sass_ldl? >= 1
// forge-build: nvcc -O3 --maxrregcount=32
// More values than registers.
#include <forge/kernel.h>

static __global__ void many(const float *x, float *y, int64_t n)
{
	float a[64];
	for (int i = 0; i < 64; i++)
		a[i] = x[threadIdx.x + 256 * i];
	for (int64_t k = 0; k < n; k++) {
		float first = a[0];
#pragma unroll
		for (int i = 0; i < 63; i++)
			a[i] = a[i] * a[(i + 7) % 64] + a[i + 1];
		a[63] += first;
	}
	for (int i = 0; i < 64; i++)
		y[threadIdx.x + 256 * i] = a[i];
}

extern "C" void kernel(const float *x, float *y, int64_t n, float s, cudaStream_t stream)
{
	(void)s;
	many<<<1, 256, 0, stream>>>(x, y, n);
}
