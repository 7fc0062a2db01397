/* The same multiply-adds by matrix instructions of a warp, operands in registers, and by those of a
 * warp group, operands in shared memory. */
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

/* ---- arms: the same text in every probe that has it ---- */
#define SLOT_NS 150000.0   /* far above what a start costs */
#define LEAD_CYCLES 40000  /* the host enqueues meanwhile: no start is waited for in a slot */
#define WARM_CYCLES 50000000 /* until the clock of an idle device has risen */
#define REPS_MAX 64
#define ROUNDS_MIN 15
#define ROUNDS_MAX 201

struct arm {
	void (*launch)(void *state); /* enqueues one repetition */
	void *state;
	double work; /* units of work in one repetition; times are compared per unit */
	double ns;   /* of one unit, median of the last comparison */
};

static __global__ void spin(long long cycles)
{
	const long long start = clock64();
	while (clock64() - start < cycles)
		;
}

static double unit_ns(const struct arm *a, int reps)
{
	static cudaEvent_t begin;
	static cudaEvent_t end;
	float ms = 0;
	if (!begin) {
		CUDA(cudaEventCreate(&begin));
		CUDA(cudaEventCreate(&end));
		spin<<<1, 1>>>(WARM_CYCLES);
	}
	spin<<<1, 1>>>(LEAD_CYCLES);
	CUDA(cudaEventRecord(begin));
	for (int i = 0; i < reps; i++)
		a->launch(a->state);
	CUDA(cudaEventRecord(end));
	CUDA(cudaGetLastError());
	CUDA(cudaEventSynchronize(end));
	CUDA(cudaEventElapsedTime(&ms, begin, end));
	return 1e6 * (double)ms / (reps * a->work);
}

static int slot_reps(const struct arm *a)
{
	int reps = 1;
	unit_ns(a, reps); /* loads the code */
	while (reps < REPS_MAX && unit_ns(a, reps) * reps * a->work < SLOT_NS)
		reps *= 2;
	return reps;
}

/* Time of a over time of b, per unit: median over neighbouring slots, which run a first and b first
 * in turn. */
static double ratio_of(struct arm *a, struct arm *b, double budget_ms)
{
	static double ratio[ROUNDS_MAX];
	static double of_a[ROUNDS_MAX];
	static double of_b[ROUNDS_MAX];
	const int reps_a = slot_reps(a);
	const int reps_b = slot_reps(b);
	double spent_ns = 0;
	int n = 0;
	while (n < ROUNDS_MAX && (n < ROUNDS_MIN || spent_ns < 1e6 * budget_ms)) {
		if (n % 2)
			of_a[n] = unit_ns(a, reps_a);
		of_b[n] = unit_ns(b, reps_b);
		if (n % 2 == 0)
			of_a[n] = unit_ns(a, reps_a);
		ratio[n] = of_a[n] / of_b[n];
		spent_ns += of_a[n] * a->work * reps_a + of_b[n] * b->work * reps_b;
		n++;
	}
	a->ns = median(of_a, n);
	b->ns = median(of_b, n);
	return median(ratio, n);
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

#define BLOCK 256
#define TILE_ROWS 64
#define N 256
#define STEPS 4
#define LOOPS 256
#define SMEM_BYTES ((2 * TILE_ROWS + N) * ROW_BYTES)
#define CHAINS 8 /* independent sums of each warp */

static inline __device__ void mma_ss_bf16_256(float (&d)[128], uint64_t a, uint64_t b)
{
	asm volatile("{\n"
		     ".reg .pred p;\n"
		     "setp.ne.b32 p, %130, 0;\n"
		     "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {"
		     "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
		     "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
		     "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
		     "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
		     "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
		     "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
		     "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "
		     "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127}, "
		     "%128, %129, p, 1, 1, 0, 0;\n}\n"
		     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]),
		       "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]),
		       "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]),
		       "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]),
		       "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]),
		       "+f"(d[30]), "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]),
		       "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]),
		       "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]),
		       "+f"(d[48]), "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]),
		       "+f"(d[54]), "+f"(d[55]), "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]),
		       "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63]), "+f"(d[64]), "+f"(d[65]),
		       "+f"(d[66]), "+f"(d[67]), "+f"(d[68]), "+f"(d[69]), "+f"(d[70]), "+f"(d[71]),
		       "+f"(d[72]), "+f"(d[73]), "+f"(d[74]), "+f"(d[75]), "+f"(d[76]), "+f"(d[77]),
		       "+f"(d[78]), "+f"(d[79]), "+f"(d[80]), "+f"(d[81]), "+f"(d[82]), "+f"(d[83]),
		       "+f"(d[84]), "+f"(d[85]), "+f"(d[86]), "+f"(d[87]), "+f"(d[88]), "+f"(d[89]),
		       "+f"(d[90]), "+f"(d[91]), "+f"(d[92]), "+f"(d[93]), "+f"(d[94]), "+f"(d[95]),
		       "+f"(d[96]), "+f"(d[97]), "+f"(d[98]), "+f"(d[99]), "+f"(d[100]), "+f"(d[101]),
		       "+f"(d[102]), "+f"(d[103]), "+f"(d[104]), "+f"(d[105]), "+f"(d[106]), "+f"(d[107]),
		       "+f"(d[108]), "+f"(d[109]), "+f"(d[110]), "+f"(d[111]), "+f"(d[112]), "+f"(d[113]),
		       "+f"(d[114]), "+f"(d[115]), "+f"(d[116]), "+f"(d[117]), "+f"(d[118]), "+f"(d[119]),
		       "+f"(d[120]), "+f"(d[121]), "+f"(d[122]), "+f"(d[123]), "+f"(d[124]), "+f"(d[125]),
		       "+f"(d[126]), "+f"(d[127])
		     : "l"(a), "l"(b), "r"(1));
}

static __global__ void __launch_bounds__(BLOCK, 1) by_groups(unsigned *wrong)
{
	extern __shared__ __align__(1024) char smem[];
	float d[N / 2];
	fill_ones(smem, SMEM_BYTES, BF16_ONES);
	const uint64_t a = operand_of(smem + threadIdx.x / 128 * TILE_ROWS * ROW_BYTES);
	const uint64_t b = operand_of(smem + 2 * TILE_ROWS * ROW_BYTES);
#pragma unroll
	for (int i = 0; i < N / 2; i++)
		d[i] = 0;
#pragma unroll 1
	for (int n = 0; n < LOOPS; n++) {
		mma_begin();
#pragma unroll
		for (int k = 0; k < STEPS; k++)
			mma_ss_bf16_256(d, a + 2 * k, b + 2 * k);
		mma_commit();
		mma_wait<1>();
	}
	mma_wait<0>();
	check_sums(d, (float)(LOOPS * STEPS * 16), wrong);
}

static __global__ void __launch_bounds__(BLOCK, 1) by_warps(unsigned *wrong)
{
	float d[4 * CHAINS];
	uint32_t a[4];
	uint32_t b[2];
#pragma unroll
	for (int i = 0; i < 4 * CHAINS; i++)
		d[i] = 0;
	for (int i = 0; i < 4; i++)
		a[i] = BF16_ONES;
	for (int i = 0; i < 2; i++)
		b[i] = BF16_ONES;
#pragma unroll 1
	for (int n = 0; n < LOOPS; n++) {
		/* Not known to the compiler. */
		asm volatile("" : "+r"(a[0]), "+r"(a[1]), "+r"(a[2]), "+r"(a[3]), "+r"(b[0]), "+r"(b[1]));
#pragma unroll
		for (int k = 0; k < STEPS; k++)
#pragma unroll
			for (int c = 0; c < CHAINS; c++)
				asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
					     "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
					     "{%0, %1, %2, %3};"
					     : "+f"(d[4 * c]), "+f"(d[4 * c + 1]), "+f"(d[4 * c + 2]),
					       "+f"(d[4 * c + 3])
					     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]),
					       "r"(b[1]));
	}
	check_sums(d, (float)(LOOPS * STEPS * 16), wrong);
}

static void launch_groups(void *state)
{
	const struct matrix_run *r = (const struct matrix_run *)state;
	by_groups<<<r->blocks, BLOCK, SMEM_BYTES>>>(r->wrong);
}

static void launch_warps(void *state)
{
	const struct matrix_run *r = (const struct matrix_run *)state;
	by_warps<<<r->blocks, BLOCK>>>(r->wrong);
}

int main(void)
{
	struct matrix_run r = matrix_open();
	CUDA(cudaFuncSetAttribute(by_groups, cudaFuncAttributeMaxDynamicSharedMemorySize, SMEM_BYTES));
	struct arm groups = { launch_groups, &r, 2.0 * LOOPS * STEPS * 16 * 64 * N };
	struct arm warps = { launch_warps, &r, BLOCK / 32.0 * LOOPS * STEPS * CHAINS * 16 * 16 * 8 };
	printf("gain %.4g ratio\n", ratio_of(&warps, &groups, 75));
	printf("rate_warps %.4g GFLOP/s\nrate_groups %.4g GFLOP/s\n", 2 / warps.ns, 2 / groups.ns);
	matrix_check(&r);
	return 0;
}
