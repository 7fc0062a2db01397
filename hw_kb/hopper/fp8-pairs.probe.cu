/* 32-bit floating-point numbers to 8-bit ones: two by one instruction, or one by one with the other half
 * of the instruction unused; and 8-bit ones to 16-bit and 32-bit ones. */
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
#define LOOPS 128
#define VALUES 8

struct output {
	unsigned *out;
	int sms;
};

static inline __device__ uint16_t narrow(float high, float low)
{
	uint16_t v;
	asm volatile("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(v) : "f"(high), "f"(low));
	return v;
}

static inline __device__ uint32_t widen(uint16_t v)
{
	uint32_t pair;
	asm volatile("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(pair) : "h"(v));
	return pair;
}

/* Eight numbers a turn. They change, since the compiler keeps what it knows. */
template <bool IN_PAIRS> static __global__ void __launch_bounds__(BLOCK) to_8_bits(unsigned *out)
{
	unsigned sum = 0;
	float v[VALUES];
#pragma unroll
	for (int i = 0; i < VALUES; i++)
		v[i] = 1.0f + (float)(threadIdx.x % 8 + i) * 0.125f;
#pragma unroll 1
	for (int n = 0; n < LOOPS; n++)
#pragma unroll
		for (int i = 0; i < VALUES; i += 2) {
			v[i] += 0.25f;
			v[i + 1] += 0.25f;
			if (IN_PAIRS)
				sum += narrow(v[i + 1], v[i]);
			else
				sum += narrow(0.0f, v[i]) | (unsigned)narrow(0.0f, v[i + 1]) << 8;
		}
	out[blockIdx.x * BLOCK + threadIdx.x] = sum;
}

static __global__ void __launch_bounds__(BLOCK) from_8_bits(unsigned *out)
{
	unsigned sum = 0;
	unsigned v[VALUES / 2];
#pragma unroll
	for (int i = 0; i < VALUES / 2; i++)
		v[i] = 0x3838 + threadIdx.x % 8 + (unsigned)i;
#pragma unroll 1
	for (int n = 0; n < LOOPS; n++)
#pragma unroll
		for (int i = 0; i < VALUES / 2; i++) {
			v[i] += 0x0101;
			sum += widen((uint16_t)v[i]);
		}
	out[blockIdx.x * BLOCK + threadIdx.x] = sum;
}

template <bool IN_PAIRS> static void launch(void *state)
{
	const struct output *o = (const struct output *)state;
	to_8_bits<IN_PAIRS><<<o->sms * 8, BLOCK>>>(o->out);
}

static void launch_back(void *state)
{
	const struct output *o = (const struct output *)state;
	from_8_bits<<<o->sms * 8, BLOCK>>>(o->out);
}

static void check_same(const struct output *o)
{
	static unsigned got[2][BLOCK];
	launch<false>((void *)o);
	CUDA(cudaMemcpy(got[0], o->out, sizeof got[0], cudaMemcpyDeviceToHost));
	launch<true>((void *)o);
	CUDA(cudaMemcpy(got[1], o->out, sizeof got[1], cudaMemcpyDeviceToHost));
	hold(memcmp(got[0], got[1], sizeof got[0]) == 0, "the bits differ");
}

int main(void)
{
	struct output o = { .sms = device_open() };
	o.out = (unsigned *)device_bytes((size_t)o.sms * 8 * BLOCK * sizeof *o.out, 0);
	check_same(&o);
	/* Conversions of one multiprocessor. */
	const double work = 8.0 * BLOCK * LOOPS * VALUES;
	struct arm singles = { launch<false>, &o, work };
	struct arm pairs = { launch<true>, &o, work };
	struct arm back = { launch_back, &o, work };
	printf("gain %.4g ratio\n", ratio_of(&singles, &pairs, 50));
	printf("narrow_over_widen %.4g ratio\n", ratio_of(&pairs, &back, 50));
	printf("single %.4g ns\npair %.4g ns\n", singles.ns, pairs.ns);
	return 0;
}
