/* Tiles of 16 KiB go through shared memory: loaded, stored and read between two barriers, or by
 * cp.async into four buffers of which three are on their way while one is read. */
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

#define BLOCK 128
#define STAGES 4
#define TILE_WORDS 1024 /* of 16 bytes */
#define WORDS (TILE_WORDS / BLOCK)
#define SMEM_BYTES (200 << 10) /* one block a multiprocessor */
#define BYTES ((size_t)512 << 20)

struct input {
	const uint4 *in;
	unsigned *out;
	int nr_tiles;
	int sms;
};

/* Each thread reads what others brought. */
static inline __device__ unsigned use(const uint4 *tile)
{
	unsigned sum = 0;
#pragma unroll
	for (int k = 0; k < WORDS; k++) {
		const uint4 v = tile[k * BLOCK + (threadIdx.x ^ 32)];
		sum += v.x + v.y + v.z + v.w;
	}
	return sum;
}

static __global__ void __launch_bounds__(BLOCK)
	in_turn(const uint4 *in, unsigned *out, int nr_tiles)
{
	extern __shared__ uint4 tiles[];
	unsigned sum = 0;
	for (int t = (int)blockIdx.x; t < nr_tiles; t += (int)gridDim.x) {
		uint4 v[WORDS];
#pragma unroll
		for (int k = 0; k < WORDS; k++)
			v[k] = in[(size_t)t * TILE_WORDS + k * BLOCK + threadIdx.x];
#pragma unroll
		for (int k = 0; k < WORDS; k++)
			tiles[k * BLOCK + threadIdx.x] = v[k];
		__syncthreads();
		sum += use(tiles);
		__syncthreads();
	}
	atomicAdd(out, sum);
}

static inline __device__ void bring(uint4 *tiles, const uint4 *in, int n, int t, int nr_tiles)
{
	if (t < nr_tiles) {
#pragma unroll
		for (int k = 0; k < WORDS; k++) {
			const uint4 *from = in + (size_t)t * TILE_WORDS + k * BLOCK + threadIdx.x;
			uint4 *to = tiles + (n % STAGES) * TILE_WORDS + k * BLOCK + threadIdx.x;
			asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
					     (uint32_t)__cvta_generic_to_shared(to)),
				     "l"(from)
				     : "memory");
		}
	}
	asm volatile("cp.async.commit_group;" ::: "memory");
}

static __global__ void __launch_bounds__(BLOCK)
	ahead(const uint4 *in, unsigned *out, int nr_tiles)
{
	extern __shared__ uint4 tiles[];
	const int step = (int)gridDim.x;
	unsigned sum = 0;
	int n = 0;
	for (; n < STAGES - 1; n++)
		bring(tiles, in, n, (int)blockIdx.x + n * step, nr_tiles);
	for (int t = (int)blockIdx.x; t < nr_tiles; t += step, n++) {
		asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
		__syncthreads();
		bring(tiles, in, n, t + (STAGES - 1) * step, nr_tiles);
		sum += use(tiles + ((n + 1) % STAGES) * TILE_WORDS);
	}
	asm volatile("cp.async.wait_all;" ::: "memory");
	atomicAdd(out, sum);
}

static void launch_in_turn(void *state)
{
	const struct input *s = (const struct input *)state;
	in_turn<<<s->sms, BLOCK, SMEM_BYTES>>>(s->in, s->out, s->nr_tiles);
}

static void launch_ahead(void *state)
{
	const struct input *s = (const struct input *)state;
	ahead<<<s->sms, BLOCK, SMEM_BYTES>>>(s->in, s->out, s->nr_tiles);
}

static void check_sum(const struct input *s, struct arm *a)
{
	unsigned got = 0;
	CUDA(cudaMemset(s->out, 0, sizeof got));
	a->launch(a->state);
	CUDA(cudaMemcpy(&got, s->out, sizeof got, cudaMemcpyDeviceToHost));
	hold(got == (unsigned)(s->nr_tiles * TILE_WORDS * 4) * 0x01010101u,
	     "not every word was used once");
}

int main(void)
{
	struct input s = { .sms = device_open() };
	s.nr_tiles = (int)(BYTES / (TILE_WORDS * sizeof(uint4)));
	s.in = (const uint4 *)device_bytes(BYTES, 1);
	s.out = (unsigned *)device_bytes(sizeof *s.out, 0);
	CUDA(cudaFuncSetAttribute(in_turn, cudaFuncAttributeMaxDynamicSharedMemorySize, SMEM_BYTES));
	CUDA(cudaFuncSetAttribute(ahead, cudaFuncAttributeMaxDynamicSharedMemorySize, SMEM_BYTES));
	struct arm turn = { launch_in_turn, &s, (double)BYTES / 1e9 };
	struct arm async = { launch_ahead, &s, (double)BYTES / 1e9 };
	check_sum(&s, &turn);
	check_sum(&s, &async);
	printf("gain %.4g ratio\n", ratio_of(&turn, &async, 75));
	printf("rate_in_turn %.4g GB/s\nrate_ahead %.4g GB/s\n", 1e9 / turn.ns, 1e9 / async.ns);
	return 0;
}
