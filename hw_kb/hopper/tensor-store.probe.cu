/* A copy of 256 MiB by tiles of 16 KiB that bulk copies bring in; they leave by bulk copies of one
 * thread or by 16-byte stores of all. */
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

#define BLOCK 256
#define STAGES 4
#define TILE (16 << 10)
#define HEAD 128
#define BYTES ((size_t)256 << 20)

struct buffers {
	char *in;
	char *out;
	int sms;
};

static inline __device__ void bulk_store(void *to, const void *from, uint32_t bytes)
{
	asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to),
		     "r"(shared_of(from)), "r"(bytes)
		     : "memory");
	asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

/* One thread asks for the tile that is STAGES - 1 ahead, when its buffer is free again. */
template <bool BY_ENGINE>
static __global__ void __launch_bounds__(BLOCK)
	pass_on(const char *in, char *out, int nr_tiles)
{
	extern __shared__ __align__(128) char smem[];
	uint64_t *full = (uint64_t *)smem;
	char *tiles = smem + HEAD;
	const int step = (int)gridDim.x;
	if (threadIdx.x == 0) {
		for (int s = 0; s < STAGES; s++)
			barrier_init(full + s, 1);
		barrier_publish();
		for (int n = 0; n < STAGES - 1; n++) {
			const int t = (int)blockIdx.x + n * step;
			if (t >= nr_tiles)
				break;
			barrier_expect(full + n, TILE);
			bulk_load(tiles + n * TILE, in + (size_t)t * TILE, TILE, full + n);
		}
	}
	__syncthreads();
	int n = 0;
	for (int t = (int)blockIdx.x; t < nr_tiles; t += step, n++) {
		const int s = n % STAGES;
		uint4 *words = (uint4 *)(tiles + s * TILE);
		barrier_wait(full + s, (uint32_t)(n / STAGES) & 1);
#pragma unroll
		for (int k = 0; k < TILE / 16 / BLOCK; k++) {
			uint4 v = words[k * BLOCK + threadIdx.x];
			v.x += 1; /* something is done with it */
			if (BY_ENGINE)
				words[k * BLOCK + threadIdx.x] = v;
			else
				((uint4 *)(out + (size_t)t * TILE))[k * BLOCK + threadIdx.x] = v;
		}
		if (BY_ENGINE)
			asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
		__syncthreads();
		if (threadIdx.x == 0) {
			const int ahead = t + (STAGES - 1) * step;
			const int next = (n + STAGES - 1) % STAGES;
			if (BY_ENGINE) {
				bulk_store(out + (size_t)t * TILE, words, TILE);
				/* The buffer to fill is that of the store before this one. */
				asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
			}
			if (ahead < nr_tiles) {
				barrier_expect(full + next, TILE);
				bulk_load(tiles + next * TILE, in + (size_t)ahead * TILE, TILE,
					  full + next);
			}
		}
	}
	if (BY_ENGINE && threadIdx.x == 0)
		asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

template <bool BY_ENGINE> static void launch(void *state)
{
	const struct buffers *b = (const struct buffers *)state;
	pass_on<BY_ENGINE><<<b->sms, BLOCK, HEAD + STAGES * TILE>>>(b->in, b->out, (int)(BYTES / TILE));
}

template <bool BY_ENGINE> static void prepare(const struct buffers *b)
{
	static unsigned got[TILE / 4];
	CUDA(cudaFuncSetAttribute(pass_on<BY_ENGINE>, cudaFuncAttributeMaxDynamicSharedMemorySize,
				  HEAD + STAGES * TILE));
	CUDA(cudaMemset(b->out, 0, BYTES));
	launch<BY_ENGINE>((void *)b);
	for (size_t at = 0; at < BYTES; at += BYTES - TILE) {
		CUDA(cudaMemcpy(got, b->out + at, TILE, cudaMemcpyDeviceToHost));
		for (int i = 0; i < TILE / 4; i++)
			hold(got[i] == 0x01010101u + (i % 4 == 0), "a copy is wrong");
	}
}

int main(void)
{
	struct buffers b = { .sms = device_open() };
	b.in = (char *)device_bytes(BYTES, 1);
	b.out = (char *)device_bytes(BYTES, 0);
	prepare<true>(&b);
	prepare<false>(&b);
	const double gigabytes = 2.0 * (double)BYTES / 1e9;
	struct arm engine = { launch<true>, &b, gigabytes };
	struct arm threads = { launch<false>, &b, gigabytes };
	printf("threads_over_engine %.4g ratio\n", ratio_of(&threads, &engine, 100));
	printf("rate_engine %.4g GB/s\nrate_threads %.4g GB/s\n", 1e9 / engine.ns, 1e9 / threads.ns);
	return 0;
}
