/* A pass over 512 MiB that writes what it read: as many blocks as there is data, and as many as fit that
 * walk over it. */
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
#define BYTES ((size_t)256 << 20)
#define WORDS (BYTES / sizeof(uint4))

struct buffers {
	const uint4 *in;
	uint4 *out;
	int sms;
};

static inline __device__ uint4 change(uint4 v)
{
	v.x += 1;
	return v;
}

static __global__ void __launch_bounds__(BLOCK) once(const uint4 *in, uint4 *out)
{
	const size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
	out[i] = change(in[i]);
}

static __global__ void __launch_bounds__(BLOCK) walk(const uint4 *in, uint4 *out)
{
	const size_t step = (size_t)gridDim.x * BLOCK;
#pragma unroll 1
	for (size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x; i < WORDS; i += 4 * step) {
		uint4 v[4];
#pragma unroll
		for (int k = 0; k < 4; k++)
			if (i + k * step < WORDS)
				v[k] = in[i + k * step];
#pragma unroll
		for (int k = 0; k < 4; k++)
			if (i + k * step < WORDS)
				out[i + k * step] = change(v[k]);
	}
}

static void launch_once(void *state)
{
	const struct buffers *b = (const struct buffers *)state;
	once<<<(unsigned)(WORDS / BLOCK), BLOCK>>>(b->in, b->out);
}

static void launch_walk(void *state)
{
	const struct buffers *b = (const struct buffers *)state;
	walk<<<b->sms * 8, BLOCK>>>(b->in, b->out);
}

static void check_copy(const struct buffers *b, struct arm *a)
{
	static uint32_t got[1 << 16];
	CUDA(cudaMemset(b->out, 0, BYTES));
	a->launch(a->state);
	for (size_t at = 0; at < BYTES; at += BYTES - sizeof got) {
		CUDA(cudaMemcpy(got, (char *)b->out + at, sizeof got, cudaMemcpyDeviceToHost));
		for (size_t i = 0; i < sizeof got / sizeof *got; i++)
			hold(got[i] == 0x01010101u + (i % 4 == 0), "a word is wrong");
	}
}

int main(void)
{
	struct buffers b = { .sms = device_open() };
	b.in = (const uint4 *)device_bytes(BYTES, 1);
	b.out = (uint4 *)device_bytes(BYTES, 0);
	const double gigabytes = 2.0 * (double)BYTES / 1e9;
	struct arm blocks = { launch_once, &b, gigabytes };
	struct arm few = { launch_walk, &b, gigabytes };
	check_copy(&b, &blocks);
	check_copy(&b, &few);
	printf("gain %.4g ratio\n", ratio_of(&blocks, &few, 100));
	printf("rate_blocks %.4g GB/s\nrate_walk %.4g GB/s\n", 1e9 / blocks.ns, 1e9 / few.ns);
	return 0;
}
