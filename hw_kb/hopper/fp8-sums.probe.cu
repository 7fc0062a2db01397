/* The sum of ones, 4096 to a million of them, in the accumulators of matrix instructions of 8-bit and of 16-bit
 * floating-point numbers. */
/* ---- device: the same text in every probe of this folder ---- */
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

[[maybe_unused]] static void hold(int is_right, const char *what)
{
	if (is_right)
		return;
	fprintf(stderr, "%s\n", what);
	exit(1);
}

static void check(cudaError_t code, const char *what)
{
	if (code == cudaSuccess)
		return;
	fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(code));
	exit(1);
}
#define CUDA(call) check(call, #call)

[[maybe_unused]] static void not_here(const char *why)
{
	fprintf(stderr, "%s\n", why);
	exit(77);
}

/* Multiprocessors of the device, which must be a Hopper. */
static int device_open(void)
{
	int nr = 0;
	cudaDeviceProp p;
	const cudaError_t code = cudaGetDeviceCount(&nr);
	if (code == cudaErrorNoDevice || code == cudaErrorInsufficientDriver)
		not_here("no CUDA device");
	CUDA(code);
	CUDA(cudaGetDeviceProperties(&p, 0));
	if (p.major != 9 || p.minor != 0)
		not_here("the device is no Hopper");
	return p.multiProcessorCount;
}

static void *device_bytes(size_t bytes, int fill)
{
	void *p = NULL;
	CUDA(cudaMalloc(&p, bytes));
	CUDA(cudaMemset(p, fill, bytes));
	return p;
}

static int by_value(const void *a, const void *b)
{
	const double x = *(const double *)a;
	const double y = *(const double *)b;
	return (x > y) - (x < y);
}

[[maybe_unused]] static double median(double *v, int n)
{
	qsort(v, (size_t)n, sizeof *v, by_value);
	return n % 2 ? v[n / 2] : 0.5 * (v[n / 2 - 1] + v[n / 2]);
}
/* ---- */

/* ---- matrix: the same text in every probe that has it ---- */
/* Operands of matrix instructions: rows of 128 bytes along the inner dimension, 128-byte swizzle. All
 * elements are 1, so that every sum is known whatever lies where. */
#define ROW_BYTES 128
#define BF16_ONES 0x3f803f80u
#define E4M3_ONES 0x38383838u

static inline __device__ uint64_t operand_of(const void *at)
{
	const uint64_t place = (uint32_t)__cvta_generic_to_shared(at);
	return (place & 0x3ffff) >> 4 | (uint64_t)1 << 16 | (uint64_t)(8 * ROW_BYTES >> 4) << 32 |
	       (uint64_t)1 << 62;
}

static inline __device__ void fill_ones(void *at, int bytes, uint32_t ones)
{
	uint32_t *words = (uint32_t *)at;
	for (int i = (int)threadIdx.x; i < bytes / 4; i += (int)blockDim.x)
		words[i] = ones;
	asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
	__syncthreads();
}

static inline __device__ void mma_begin(void)
{
	asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

static inline __device__ void mma_commit(void)
{
	asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

template <int LEFT> static inline __device__ void mma_wait(void)
{
	asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(LEFT) : "memory");
}

/* Sums that are not as many ones as were added are counted in *wrong. */
template <int NR> static inline __device__ void check_sums(const float (&d)[NR], float want, unsigned *wrong)
{
	bool is_right = true;
#pragma unroll
	for (int i = 0; i < NR; i++)
		is_right = is_right && d[i] == want;
	if (!is_right)
		atomicAdd(wrong, 1);
}

struct matrix_run {
	unsigned *wrong;
	int blocks;
};

/* A part of the device: the clock does not depend on what is multiplied. */
[[maybe_unused]] static struct matrix_run matrix_open(void)
{
	const int sms = device_open();
	return (struct matrix_run){ (unsigned *)device_bytes(sizeof(unsigned), 0), sms / 4 };
}

[[maybe_unused]] static void matrix_check(const struct matrix_run *r)
{
	unsigned nr_wrong = 1;
	CUDA(cudaMemcpy(&nr_wrong, r->wrong, sizeof nr_wrong, cudaMemcpyDeviceToHost));
	hold(nr_wrong == 0, "a sum is wrong");
}
/* ---- */

#define GROUP 128
#define N 64
#define STEPS 4 /* of 32 bytes in a row of 128 bytes */
#define TILE_ROWS 64
#define SMEM_BYTES ((TILE_ROWS + N) * ROW_BYTES)

static inline __device__ void mma_ss_bf16_64(float (&d)[32], uint64_t a, uint64_t b)
{
	asm volatile("{\n"
		     ".reg .pred p;\n"
		     "setp.ne.b32 p, %34, 0;\n"
		     "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {"
		     "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
		     "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
		     "%32, %33, p, 1, 1, 0, 0;\n}\n"
		     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]),
		       "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]),
		       "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]),
		       "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]),
		       "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]),
		       "+f"(d[30]), "+f"(d[31])
		     : "l"(a), "l"(b), "r"(1));
}

static inline __device__ void mma_ss_e4m3_64(float (&d)[32], uint64_t a, uint64_t b)
{
	asm volatile("{\n"
		     ".reg .pred p;\n"
		     "setp.ne.b32 p, %34, 0;\n"
		     "wgmma.mma_async.sync.aligned.m64n64k32.f32.e4m3.e4m3 {"
		     "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
		     "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
		     "%32, %33, p, 1, 1;\n}\n"
		     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]),
		       "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]),
		       "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]),
		       "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]),
		       "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]),
		       "+f"(d[30]), "+f"(d[31])
		     : "l"(a), "l"(b), "r"(1));
}

template <bool IS_8_BIT>
static __global__ void __launch_bounds__(GROUP, 1) add_ones(int loops, float *out)
{
	extern __shared__ __align__(1024) char smem[];
	float d[N / 2];
	fill_ones(smem, SMEM_BYTES, IS_8_BIT ? E4M3_ONES : BF16_ONES);
	const uint64_t a = operand_of(smem);
	const uint64_t b = operand_of(smem + TILE_ROWS * ROW_BYTES);
#pragma unroll
	for (int i = 0; i < N / 2; i++)
		d[i] = 0;
#pragma unroll 1
	for (int n = 0; n < loops; n++) {
		mma_begin();
#pragma unroll
		for (int k = 0; k < STEPS; k++)
			if (IS_8_BIT)
				mma_ss_e4m3_64(d, a + 2 * k, b + 2 * k);
			else
				mma_ss_bf16_64(d, a + 2 * k, b + 2 * k);
		mma_commit();
		mma_wait<0>();
	}
	float least = d[0];
#pragma unroll
	for (int i = 1; i < N / 2; i++)
		least = fminf(least, d[i]);
	if (threadIdx.x == 0)
		*out = least;
}

/* What is there of what was added, in percent. */
template <bool IS_8_BIT> static double kept(int ones)
{
	float got = 0;
	float *out = (float *)device_bytes(sizeof got, 0);
	add_ones<IS_8_BIT><<<1, GROUP, SMEM_BYTES>>>(ones / (STEPS * (IS_8_BIT ? 32 : 16)), out);
	CUDA(cudaGetLastError());
	CUDA(cudaMemcpy(&got, out, sizeof got, cudaMemcpyDeviceToHost));
	CUDA(cudaFree(out));
	return 100.0 * (double)got / ones;
}

int main(void)
{
	device_open();
	printf("e4m3_4096 %.4g percent\n", kept<true>(4096));
	printf("e4m3_16384 %.4g percent\n", kept<true>(16384));
	printf("e4m3_65536 %.4g percent\n", kept<true>(65536));
	printf("e4m3_million %.4g percent\n", kept<true>(1 << 20));
	printf("bf16_million %.4g percent\n", kept<false>(1 << 20));
	return 0;
}
