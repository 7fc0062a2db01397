/* Multiply-adds of single 32-bit numbers against those of pairs of 16-bit numbers, in eight independent
 * chains of each thread. */
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
#define CHAINS 8
#define LOOPS 256

struct output {
	uint32_t *out;
	int sms;
};

enum kind { SINGLE, PAIR_F16, PAIR_BF16 };

template <kind KIND> static inline __device__ uint32_t step(uint32_t v, uint32_t factor)
{
	if (KIND == SINGLE) {
		float single = __uint_as_float(v);
		asm volatile("fma.rn.f32 %0, %0, %1, %1;"
			     : "+f"(single)
			     : "f"(__uint_as_float(factor)));
		return __float_as_uint(single);
	}
	if (KIND == PAIR_F16)
		asm volatile("fma.rn.f16x2 %0, %0, %1, %1;" : "+r"(v) : "r"(factor));
	if (KIND == PAIR_BF16)
		asm volatile("fma.rn.bf16x2 %0, %0, %1, %1;" : "+r"(v) : "r"(factor));
	return v;
}

template <kind KIND>
static __global__ void __launch_bounds__(BLOCK) chains(uint32_t *out, uint32_t factor)
{
	uint32_t v[CHAINS];
#pragma unroll
	for (int c = 0; c < CHAINS; c++)
		v[c] = factor + threadIdx.x % 2;
#pragma unroll 1
	for (int n = 0; n < LOOPS; n++)
#pragma unroll
		for (int k = 0; k < 4; k++)
#pragma unroll
			for (int c = 0; c < CHAINS; c++)
				v[c] = step<KIND>(v[c], factor);
	uint32_t sum = 0;
#pragma unroll
	for (int c = 0; c < CHAINS; c++)
		sum += v[c];
	out[blockIdx.x * BLOCK + threadIdx.x] = sum;
}

/* One half, in each format: chains tend to one. */
template <kind KIND> static void launch(void *state)
{
	const struct output *o = (const struct output *)state;
	const uint32_t half = KIND == SINGLE ? 0x3f000000u : KIND == PAIR_F16 ? 0x38003800u : 0x3f003f00u;
	chains<KIND><<<o->sms * 8, BLOCK>>>(o->out, half);
}

template <kind KIND> static struct arm arm_of(struct output *o)
{
	const uint32_t one = KIND == SINGLE ? 0x3f800000u : KIND == PAIR_F16 ? 0x3c003c00u : 0x3f803f80u;
	struct arm a = { launch<KIND>, o, 8.0 * BLOCK * LOOPS * 4 * CHAINS * (KIND == SINGLE ? 1 : 2) };
	uint32_t got = 0;
	a.launch(o);
	CUDA(cudaMemcpy(&got, o->out, sizeof got, cudaMemcpyDeviceToHost));
	hold(got == CHAINS * one, "a chain ends elsewhere");
	return a;
}

int main(void)
{
	struct output o = { .sms = device_open() };
	o.out = (uint32_t *)device_bytes((size_t)o.sms * 8 * BLOCK * sizeof *o.out, 0);
	struct arm single = arm_of<SINGLE>(&o);
	struct arm f16 = arm_of<PAIR_F16>(&o);
	struct arm bf16 = arm_of<PAIR_BF16>(&o);
	printf("gain_f16 %.4g ratio\n", ratio_of(&single, &f16, 40));
	printf("gain_bf16 %.4g ratio\n", ratio_of(&single, &bf16, 40));
	return 0;
}
