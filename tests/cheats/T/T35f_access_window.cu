/* Asks by an attribute of its launch that its inputs persist in the second-level cache.
 * Stopped: of a launch's attributes only those that shape it are played; persisting lines are reset before each sample. */
#include <forge/kernel.h>

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

extern "C" void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols,
			cudaStream_t stream)
{
	cudaLaunchAttribute window = {};
	window.id = cudaLaunchAttributeAccessPolicyWindow;
	window.val.accessPolicyWindow.base_ptr = (void *)x;
	window.val.accessPolicyWindow.num_bytes = (size_t)(rows * cols) * sizeof(float);
	window.val.accessPolicyWindow.hitRatio = 1;
	window.val.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
	cudaLaunchConfig_t config = {};
	config.gridDim = dim3((unsigned)((rows + 7) / 8));
	config.blockDim = dim3(256);
	config.stream = stream;
	config.attrs = &window;
	config.numAttrs = 1;
	cudaLaunchKernelEx(&config, sums, x, b, y, rows, cols);
}
