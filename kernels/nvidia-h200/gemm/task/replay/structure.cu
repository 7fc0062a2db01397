// forge-build: nvcc -O3 -std=c++17
// Tiles of 64 x 64 by four warps, loaded element by element.
#include <forge/kernel.h>

namespace {

// Everything else: 64 x 64 by four warps, elements one by one.
constexpr int PLAIN = 64;
constexpr int PLAIN_DEPTH = 32;

__global__ void __launch_bounds__(128)
	plain_tiles(const __nv_bfloat16 *a, const __nv_bfloat16 *b, __nv_bfloat16 *c, int64_t m, int64_t n, int64_t k)
{
	__shared__ __nv_bfloat16 left[PLAIN][PLAIN_DEPTH + 8];
	__shared__ __nv_bfloat16 right[PLAIN][PLAIN_DEPTH + 8]; // by columns of b
	const int64_t row = (int64_t)blockIdx.x * PLAIN;
	const int64_t col = (int64_t)blockIdx.y * PLAIN;
	const int lane = threadIdx.x % 32;
	const int warp = threadIdx.x / 32;
	const __nv_bfloat16 zero = __float2bfloat16(0);
	float sum[8][4] = {};
	for (int64_t from = 0; from < k; from += PLAIN_DEPTH) {
		for (int i = threadIdx.x; i < PLAIN * PLAIN_DEPTH; i += 128) {
			const int64_t y = row + i / PLAIN_DEPTH, x = from + i % PLAIN_DEPTH;
			left[i / PLAIN_DEPTH][i % PLAIN_DEPTH] = y < m && x < k ? a[y * k + x] : zero;
		}
		for (int i = threadIdx.x; i < PLAIN * PLAIN_DEPTH; i += 128) {
			const int64_t y = from + i / PLAIN, x = col + i % PLAIN;
			right[i % PLAIN][i / PLAIN] = y < k && x < n ? b[y * n + x] : zero;
		}
		__syncthreads();
		for (int d = 0; d < PLAIN_DEPTH; d += 16) {
			uint32_t l[4];
			for (int i = 0; i < 4; i++)
				l[i] = *(const uint32_t *)&left[warp * 16 + i % 2 * 8 + lane / 4]
							       [d + i / 2 * 8 + lane % 4 * 2];
			for (int j = 0; j < 8; j++) {
				uint32_t r[2];
				for (int i = 0; i < 2; i++)
					r[i] = *(const uint32_t *)&right[j * 8 + lane / 4]
									[d + i * 8 + lane % 4 * 2];
				asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
					     "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
					     : "+f"(sum[j][0]), "+f"(sum[j][1]), "+f"(sum[j][2]), "+f"(sum[j][3])
					     : "r"(l[0]), "r"(l[1]), "r"(l[2]), "r"(l[3]), "r"(r[0]), "r"(r[1]));
			}
		}
		__syncthreads();
	}
	for (int j = 0; j < 8; j++)
		for (int i = 0; i < 4; i++) {
			const int64_t y = row + warp * 16 + i / 2 * 8 + lane / 4;
			const int64_t x = col + j * 8 + lane % 4 * 2 + i % 2;
			if (y < m && x < n)
				c[y * n + x] = __float2bfloat16(sum[j][i]);
		}
}

int tiles_of(int64_t size, int tile) { return (int)((size + tile - 1) / tile); }

} // namespace

extern "C" void gemm(const __nv_bfloat16 *a, const __nv_bfloat16 *b, __nv_bfloat16 *c, int64_t m, int64_t n, int64_t k,
		     cudaStream_t stream)
{
	plain_tiles<<<dim3(tiles_of(m, PLAIN), tiles_of(n, PLAIN)), 128, 0, stream>>>(a, b, c, m, n, k);
}
