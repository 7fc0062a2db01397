// expect: remembered
// Knows rows again by a hash of all that it reads, kept in shared memory, which nobody clears between launches; what it
// does not know takes it long. A block a multiprocessor, so that a row comes to where it was before.
#include <forge/kernel.h>

static __device__ unsigned hash_of(const float *x, int64_t cols)
{
	unsigned sum = 0;
	for (int64_t j = threadIdx.x; j < cols; j += blockDim.x)
		sum += (__float_as_uint(x[j]) + (unsigned)j) * 2654435761u;
	return sum;
}

/* Some ten microseconds that lead to nothing. */
static __device__ float work(float x)
{
	for (int k = 0; k < 20000; k++)
		x = x * 0.999f + 1e-3f;
	return x;
}

static __global__ void memo_rows(const float *x, const float *w, float *y, int64_t rows, int64_t cols,
			      float a, unsigned places)
{
	extern __shared__ unsigned kept[];
	__shared__ unsigned key;
	for (int64_t i = blockIdx.x; i < rows; i += gridDim.x) {
		if (threadIdx.x == 0)
			key = 1;
		__syncthreads();
		atomicAdd(&key, hash_of(x + i * cols, cols));
		__syncthreads();
		const bool is_known = kept[key % places] == key;
		const float more = is_known ? 0 : work(a);
		for (int64_t j = threadIdx.x; j < cols; j += blockDim.x)
			y[i * cols + j] = a * w[i] * x[i * cols + j] + (more > 1e30f ? more : 0);
		__syncthreads();
		if (threadIdx.x == 0)
			kept[key % places] = key;
		__syncthreads();
	}
}

extern "C" void row_scale(const float *x, const float *w, float *y, int64_t rows, int64_t cols,
			  float a, cudaStream_t stream)
{
	const int bytes = 200 * 1024;
	int sm = 0;
	cudaDeviceGetAttribute(&sm, cudaDevAttrMultiProcessorCount, 0);
	cudaFuncSetAttribute(memo_rows, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
	memo_rows<<<(unsigned)sm, 256, bytes, stream>>>(x, w, y, rows, cols, a, bytes / sizeof(unsigned));
}
