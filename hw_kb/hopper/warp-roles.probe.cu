/* A stream of tiles through four buffers, with arithmetic on each: all warps copy and compute in turn
 * with a barrier a tile, or one warp brings tiles and eight others only wait for theirs. The warps have the
 * same to do for each tile, or each warp four times as much for every fourth tile. */
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

/* ---- copies: the same text in every probe that has it ---- */
[[maybe_unused]] static inline __device__ uint32_t shared_of(const void *p)
{
	return (uint32_t)__cvta_generic_to_shared(p);
}

[[maybe_unused]] static inline __device__ void barrier_init(uint64_t *bar, uint32_t arrivals)
{
	asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_of(bar)), "r"(arrivals)
		     : "memory");
}

/* What was initialised is seen by the copy engine and by the blocks of the cluster. */
[[maybe_unused]] static inline __device__ void barrier_publish(void)
{
	asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
	asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

[[maybe_unused]] static inline __device__ void barrier_arrive(uint64_t *bar)
{
	asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_of(bar)) : "memory");
}

[[maybe_unused]] static inline __device__ void barrier_expect(uint64_t *bar, uint32_t bytes)
{
	asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_of(bar)),
		     "r"(bytes)
		     : "memory");
}

[[maybe_unused]] static inline __device__ void barrier_wait(uint64_t *bar, uint32_t parity)
{
	uint32_t is_done = 0;
	while (!is_done)
		asm volatile("{\n"
			     ".reg .pred p;\n"
			     "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
			     "selp.b32 %0, 1, 0, p;\n"
			     "}\n"
			     : "=r"(is_done)
			     : "r"(shared_of(bar)), "r"(parity)
			     : "memory");
}

[[maybe_unused]] static inline __device__ void bulk_load(void *to, const void *from, uint32_t bytes, uint64_t *bar)
{
	asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
		     "[%0], [%1], %2, [%3];" ::"r"(shared_of(to)),
		     "l"(from), "r"(bytes), "r"(shared_of(bar))
		     : "memory");
}
/* ---- */

#define WORKERS 256
#define STAGES 4
#define TILE (16 << 10)
#define WORDS (TILE / 16 / WORKERS)
#define HEAD 128
#define TURNS 8 /* of arithmetic on each word */
#define BYTES ((size_t)512 << 20)

struct input {
	const char *in;
	float *out;
	int sms;
};

/* About as much in four tiles in either case. */
template <bool IS_EVEN> static inline __device__ int rounds_of(int n)
{
	return IS_EVEN ? 2 : (n + (int)threadIdx.x / 32) % 4 ? 1 : 4;
}

static inline __device__ float chew(const uint4 *tile, int rounds)
{
	float sum = 0;
#pragma unroll
	for (int k = 0; k < WORDS; k++) {
		const uint4 v = tile[k * WORKERS + (threadIdx.x & (WORKERS - 1))];
		float a = __uint_as_float(v.x);
		float b = __uint_as_float(v.y);
		float c = __uint_as_float(v.z);
		float d = __uint_as_float(v.w);
#pragma unroll 1
		for (int r = 0; r < rounds; r++)
#pragma unroll
			for (int i = 0; i < TURNS; i++) {
				a = a * 0.5f + 1.0f;
				b = b * 0.5f + 1.0f;
				c = c * 0.5f + 1.0f;
				d = d * 0.5f + 1.0f;
			}
		sum += a + b + c + d;
	}
	return sum;
}

static inline __device__ void bring(char *tiles, const char *in, int n, int t, int nr_tiles)
{
	if (t < nr_tiles) {
#pragma unroll
		for (int k = 0; k < WORDS; k++) {
			const int at = 16 * (k * WORKERS + (int)threadIdx.x);
			asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
					     shared_of(tiles + (n % STAGES) * TILE + at)),
				     "l"(in + (size_t)t * TILE + at)
				     : "memory");
		}
	}
	asm volatile("cp.async.commit_group;" ::: "memory");
}

template <bool IS_EVEN>
static __global__ void __launch_bounds__(WORKERS)
	together(const char *in, float *out, int nr_tiles)
{
	extern __shared__ __align__(128) char smem[];
	char *tiles = smem + HEAD;
	const int step = (int)gridDim.x;
	float sum = 0;
	int n = 0;
	for (; n < STAGES - 1; n++)
		bring(tiles, in, n, (int)blockIdx.x + n * step, nr_tiles);
	for (int t = (int)blockIdx.x; t < nr_tiles; t += step, n++) {
		asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
		__syncthreads();
		bring(tiles, in, n, t + (STAGES - 1) * step, nr_tiles);
		sum += chew((const uint4 *)(tiles + ((n + 1) % STAGES) * TILE),
			    rounds_of<IS_EVEN>(n + 1));
	}
	asm volatile("cp.async.wait_all;" ::: "memory");
	out[blockIdx.x * WORKERS + threadIdx.x] = sum;
}

template <bool IS_EVEN>
static __global__ void __launch_bounds__(WORKERS + 32)
	by_roles(const char *in, float *out, int nr_tiles)
{
	extern __shared__ __align__(128) char smem[];
	uint64_t *full = (uint64_t *)smem;
	uint64_t *empty = full + STAGES;
	char *tiles = smem + HEAD;
	if (threadIdx.x == 0) {
		for (int s = 0; s < STAGES; s++) {
			barrier_init(full + s, 1);
			barrier_init(empty + s, WORKERS / 32);
		}
		barrier_publish();
	}
	__syncthreads();
	const bool brings = threadIdx.x >= WORKERS;
	if (threadIdx.x > WORKERS)
		return;
	float sum = 0;
	int n = 0;
	for (int t = (int)blockIdx.x; t < nr_tiles; t += (int)gridDim.x, n++) {
		const int s = n % STAGES;
		const uint32_t turn = (uint32_t)(n / STAGES);
		if (brings) {
			if (turn > 0)
				barrier_wait(empty + s, (turn - 1) & 1);
			barrier_expect(full + s, TILE);
			bulk_load(tiles + s * TILE, in + (size_t)t * TILE, TILE, full + s);
			continue;
		}
		barrier_wait(full + s, turn & 1);
		sum += chew((const uint4 *)(tiles + s * TILE), rounds_of<IS_EVEN>(n));
		__syncwarp();
		if (threadIdx.x % 32 == 0)
			barrier_arrive(empty + s);
	}
	if (!brings)
		out[blockIdx.x * WORKERS + threadIdx.x] = sum;
}

template <bool IS_EVEN> static void launch_together(void *state)
{
	const struct input *s = (const struct input *)state;
	together<IS_EVEN><<<s->sms, WORKERS, HEAD + STAGES * TILE>>>(s->in, s->out, (int)(BYTES / TILE));
}

template <bool IS_EVEN> static void launch_by_roles(void *state)
{
	const struct input *s = (const struct input *)state;
	by_roles<IS_EVEN><<<s->sms, WORKERS + 32, HEAD + STAGES * TILE>>>(s->in, s->out, (int)(BYTES / TILE));
}

/* Each word ends close to 2, at eight turns within a hundredth. */
static void check_sums(const struct input *s, struct arm *a)
{
	const int nr = s->sms * WORKERS;
	float *got = (float *)malloc((size_t)nr * sizeof *got);
	double all = 0;
	CUDA(cudaMemset(s->out, 0, (size_t)nr * sizeof *got));
	a->launch(a->state);
	CUDA(cudaMemcpy(got, s->out, (size_t)nr * sizeof *got, cudaMemcpyDeviceToHost));
	for (int i = 0; i < nr; i++)
		all += got[i];
	const double want = 2.0 * (double)(BYTES / 4);
	hold(all > want * 0.99 && all < want * 1.01, "not every word was worked on once");
	free(got);
}

/* Gain, and both rates. */
template <bool IS_EVEN> static double gain(struct input *s, double rates[2])
{
	CUDA(cudaFuncSetAttribute(together<IS_EVEN>, cudaFuncAttributeMaxDynamicSharedMemorySize,
				  HEAD + STAGES * TILE));
	CUDA(cudaFuncSetAttribute(by_roles<IS_EVEN>, cudaFuncAttributeMaxDynamicSharedMemorySize,
				  HEAD + STAGES * TILE));
	struct arm all = { launch_together<IS_EVEN>, s, (double)BYTES / 1e9 };
	struct arm roles = { launch_by_roles<IS_EVEN>, s, (double)BYTES / 1e9 };
	check_sums(s, &all);
	check_sums(s, &roles);
	const double ratio = ratio_of(&all, &roles, 80);
	rates[0] = 1e9 / all.ns;
	rates[1] = 1e9 / roles.ns;
	return ratio;
}

int main(void)
{
	struct input s = { .sms = device_open() };
	s.in = (const char *)device_bytes(BYTES, 1);
	s.out = (float *)device_bytes((size_t)s.sms * WORKERS * sizeof *s.out, 0);
	double even[2];
	double uneven[2];
	printf("gain_even %.4g ratio\n", gain<true>(&s, even));
	printf("gain_uneven %.4g ratio\n", gain<false>(&s, uneven));
	printf("together_even %.4g GB/s\nroles_even %.4g GB/s\n", even[0], even[1]);
	printf("together_uneven %.4g GB/s\nroles_uneven %.4g GB/s\n", uneven[0], uneven[1]);
	return 0;
}
