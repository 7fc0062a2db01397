// expect: none
// fact: ptx_wmma >= 1
// fact: sass_hmma? >= 1
// The matrix units by warps.
#include <mma.h>
#include <forge/kernel.h>

using namespace nvcuda;

static __global__ void tile(const float *x, float *y)
{
	__shared__ __nv_bfloat16 a[256];
	for (int i = threadIdx.x; i < 256; i += 32)
		a[i] = __float2bfloat16(x[i]);
	__syncwarp();
	wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> left;
	wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::col_major> right;
	wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
	wmma::fill_fragment(sum, 0.0f);
	wmma::load_matrix_sync(left, a, 16);
	wmma::load_matrix_sync(right, a, 16);
	wmma::mma_sync(sum, left, right, sum);
	wmma::store_matrix_sync(y, sum, 16, wmma::mem_row_major);
}

extern "C" void kernel(const float *x, float *y, int64_t n, float s, cudaStream_t stream)
{
	(void)n;
	(void)s;
	tile<<<1, 32, 0, stream>>>(x, y);
}
