// The first step of a course: a block a row, the row read three times, an element at a time.
#include <forge/kernel.h>

static constexpr int THREADS = 256;

static __device__ float over_block(float value, float *all, bool is_sum)
{
	all[threadIdx.x] = value;
	for (int half = THREADS / 2; half; half /= 2) {
		__syncthreads();
		if (threadIdx.x < half) {
			const float other = all[threadIdx.x + half];
			all[threadIdx.x] = is_sum ? all[threadIdx.x] + other : fmaxf(all[threadIdx.x], other);
		}
	}
	__syncthreads();
	value = all[0];
	__syncthreads();
	return value;
}

static __global__ void rows_of(const __nv_bfloat16 *x, __nv_bfloat16 *y, int64_t cols)
{
	__shared__ float all[THREADS];
	const __nv_bfloat16 *row = x + blockIdx.x * cols;
	float top = -INFINITY, total = 0;
	for (int64_t c = threadIdx.x; c < cols; c += THREADS)
		top = fmaxf(top, __bfloat162float(row[c]));
	top = over_block(top, all, false);
	for (int64_t c = threadIdx.x; c < cols; c += THREADS)
		total += expf(__bfloat162float(row[c]) - top);
	total = over_block(total, all, true);
	for (int64_t c = threadIdx.x; c < cols; c += THREADS)
		y[blockIdx.x * cols + c] = __float2bfloat16_rn(expf(__bfloat162float(row[c]) - top) / total);
}

extern "C" void softmax(const __nv_bfloat16 *x, __nv_bfloat16 *y, int64_t rows, int64_t cols, cudaStream_t stream)
{
	rows_of<<<(unsigned)rows, THREADS, 0, stream>>>(x, y, cols);
}
