/* All threads add a floating-point number to one word of global memory: each by an atomic of its own,
 * one for a warp, one for a block. */
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

#define BLOCK 256
#define ADDS 16 /* of each thread */

struct output {
	float *out;
	int sms;
};

static inline __device__ float add_lanes(float v)
{
#pragma unroll
	for (int step = 16; step; step /= 2)
		v += __shfl_xor_sync(0xffffffffu, v, step);
	return v;
}

static __global__ void __launch_bounds__(BLOCK) by_threads(float *out)
{
	for (int i = 0; i < ADDS; i++)
		atomicAdd(out, 1.0f);
}

static __global__ void __launch_bounds__(BLOCK) by_warps(float *out)
{
	for (int i = 0; i < ADDS; i++) {
		float v = 1.0f;
		asm volatile("" : "+f"(v)); /* another number each time, as far as is known */
		v = add_lanes(v);
		if (threadIdx.x % 32 == 0)
			atomicAdd(out, v);
	}
}

static __global__ void __launch_bounds__(BLOCK) by_blocks(float *out)
{
	__shared__ float part[BLOCK / 32];
	for (int i = 0; i < ADDS; i++) {
		float v = 1.0f;
		asm volatile("" : "+f"(v));
		v = add_lanes(v);
		if (threadIdx.x % 32 == 0)
			part[threadIdx.x / 32] = v;
		__syncthreads();
		v = threadIdx.x < BLOCK / 32 ? part[threadIdx.x] : 0.0f;
		if (threadIdx.x < 32) {
			v = add_lanes(v);
			if (threadIdx.x == 0)
				atomicAdd(out, v);
		}
		__syncthreads();
	}
}

static void launch_threads(void *state)
{
	const struct output *o = (const struct output *)state;
	by_threads<<<o->sms, BLOCK>>>(o->out);
}

static void launch_warps(void *state)
{
	const struct output *o = (const struct output *)state;
	by_warps<<<o->sms, BLOCK>>>(o->out);
}

static void launch_blocks(void *state)
{
	const struct output *o = (const struct output *)state;
	by_blocks<<<o->sms, BLOCK>>>(o->out);
}

static void check_sum(const struct output *o, struct arm *a)
{
	float got = 0;
	CUDA(cudaMemset(o->out, 0, sizeof got));
	a->launch(a->state);
	CUDA(cudaMemcpy(&got, o->out, sizeof got, cudaMemcpyDeviceToHost));
	hold(got == (float)(o->sms * BLOCK * ADDS), "the sum is wrong");
}

int main(void)
{
	struct output o = { .sms = device_open() };
	o.out = (float *)device_bytes(sizeof *o.out, 0);
	const double adds = (double)o.sms * BLOCK * ADDS;
	struct arm threads = { launch_threads, &o, adds };
	struct arm warps = { launch_warps, &o, adds };
	struct arm blocks = { launch_blocks, &o, adds };
	check_sum(&o, &threads);
	check_sum(&o, &warps);
	check_sum(&o, &blocks);
	printf("gain_warp %.4g ratio\n", ratio_of(&threads, &warps, 50));
	printf("gain_block %.4g ratio\n", ratio_of(&threads, &blocks, 50));
	printf("thread %.4g ns\nwarp %.4g ns\nblock %.4g ns\n", threads.ns, warps.ns, blocks.ns);
	return 0;
}
