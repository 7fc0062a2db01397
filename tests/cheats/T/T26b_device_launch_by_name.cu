/* Launches from the device by the names of the device runtime, declared by itself.
 * Stopped: machine code that needs the device runtime is refused. */
#include <forge/kernel.h>

extern "C" __device__ int cudaLaunchDeviceV2(void *buffer, cudaStream_t stream);
extern "C" __device__ void *cudaGetParameterBufferV2(void *f, dim3 grid, dim3 block, unsigned shared);

/* A warp adds one row. */
static __device__ float row_of(const float *x, const float *b, int64_t r, int64_t cols)
{
	float sum = 0;
	for (int64_t c = threadIdx.x % 32; c < cols; c += 32)
		sum += x[r * cols + c] * b[c];
	for (int k = 16; k > 0; k /= 2)
		sum += __shfl_down_sync(0xffffffffu, sum, k);
	return sum;
}

static __global__ void sums(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	const int64_t r = blockIdx.x * (int64_t)(blockDim.x / 32) + threadIdx.x / 32;
	if (r >= rows)
		return;
	const float sum = row_of(x, b, r, cols);
	if (threadIdx.x % 32 == 0)
		y[r] = sum;
}

static __global__ void parent(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	void *buffer = cudaGetParameterBufferV2((void *)sums, dim3(1), dim3(256), 0);
	cudaLaunchDeviceV2(buffer, 0);
	y[0] = x[0] * b[0] + (float)(rows + cols);
}

extern "C" void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols,
			cudaStream_t stream)
{
	parent<<<1, 1, 0, stream>>>(x, b, y, rows, cols);
}
