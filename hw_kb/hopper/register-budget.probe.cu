/* Three warp groups of one block share the registers evenly, or one that only fetches gives most of its
 * own to two that add up in 208 registers. */
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

#define GROUP 128
#define BLOCK (3 * GROUP)
#define SUMS 208
#define LOOPS 200

struct output {
	float *out;
	int sms;
};

template <int NR> static inline __device__ void registers_up(void)
{
	asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(NR));
}

template <int NR> static inline __device__ void registers_down(void)
{
	asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(NR));
}

static inline __device__ void add_up(float *out, float factor)
{
	float sum[SUMS];
#pragma unroll
	for (int i = 0; i < SUMS; i++)
		sum[i] = (float)(threadIdx.x % 32 + i); /* differs in a warp: no uniform register holds it */
#pragma unroll 1
	for (int n = 0; n < LOOPS; n++) /* all sums are needed in each turn */
#pragma unroll
		for (int i = 0; i < SUMS; i++)
			sum[i] = sum[i] * factor + 1.0f;
	float all = 0;
#pragma unroll
	for (int i = 0; i < SUMS; i++)
		all += sum[i];
	out[blockIdx.x * BLOCK + threadIdx.x] = all;
}

template <bool IS_MOVED> static __global__ void __launch_bounds__(BLOCK, 1) work(float *out, float factor)
{
	if (threadIdx.x >= 2 * GROUP) {
		if (IS_MOVED)
			registers_down<40>();
		out[blockIdx.x * BLOCK + threadIdx.x] = 0;
	} else {
		if (IS_MOVED)
			registers_up<232>();
		add_up(out, factor);
	}
}

template <bool IS_MOVED> static void launch(void *state)
{
	const struct output *o = (const struct output *)state;
	work<IS_MOVED><<<o->sms, BLOCK>>>(o->out, 0.5f);
}

static void check_sums(const struct output *o, struct arm *a)
{
	static float got[BLOCK];
	CUDA(cudaMemset(o->out, 0, sizeof got));
	a->launch(a->state);
	CUDA(cudaMemcpy(got, o->out, sizeof got, cudaMemcpyDeviceToHost));
	for (int i = 0; i < 2 * GROUP; i++)
		hold(got[i] == 2.0f * SUMS, "a sum is wrong"); /* each tends to 2 */
}

int main(void)
{
	struct output o = { .sms = device_open() };
	cudaFuncAttributes even_attributes;
	cudaFuncAttributes moved_attributes;
	o.out = (float *)device_bytes((size_t)o.sms * BLOCK * sizeof *o.out, 0);
	struct arm even = { launch<false>, &o, 1 };
	struct arm moved = { launch<true>, &o, 1 };
	check_sums(&o, &even);
	check_sums(&o, &moved);
	CUDA(cudaFuncGetAttributes(&even_attributes, work<false>));
	CUDA(cudaFuncGetAttributes(&moved_attributes, work<true>));
	printf("gain %.4g ratio\n", ratio_of(&even, &moved, 75));
	printf("registers_even %d count\nspilled_even %d bytes\nspilled_moved %d bytes\n",
	       even_attributes.numRegs, (int)even_attributes.localSizeBytes,
	       (int)moved_attributes.localSizeBytes);
	return 0;
}
