/* A table of 16 numbers of each thread, read at places that only the data know, in an array of the
 * thread, by a choice among registers, and in shared memory; and read at places known when compiled. */
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
#define TABLE 16
#define LOOPS 512

struct output {
	unsigned *out;
	int sms;
};

enum kind { FIXED, ARRAY, SHARED };

template <kind KIND> static __global__ void __launch_bounds__(BLOCK) look_up(unsigned *out)
{
	__shared__ unsigned lent[KIND == SHARED ? TABLE * BLOCK : 1];
	unsigned table[TABLE];
	unsigned at = threadIdx.x;
	unsigned sum = 0;
#pragma unroll
	for (int i = 0; i < TABLE; i++) {
		table[i] = threadIdx.x * 7 + (unsigned)i;
		asm volatile("" : "+r"(table[i]));
		if (KIND == SHARED)
			lent[i * BLOCK + threadIdx.x] = table[i];
	}
#pragma unroll 1
	for (int n = 0; n < LOOPS; n += TABLE)
#pragma unroll
		for (int k = 0; k < TABLE; k++) {
			at = at * 5 + 1; /* each place once in 16 steps, in another order each thread */
			const unsigned i = at % TABLE;
			if (KIND == FIXED)
				sum += table[k] + i;
			else if (KIND == SHARED)
				sum += lent[i * BLOCK + threadIdx.x] + i;
			else
				sum += table[i] + i;
		}
	out[blockIdx.x * BLOCK + threadIdx.x] = sum;
}

template <kind KIND> static void launch(void *state)
{
	const struct output *o = (const struct output *)state;
	look_up<KIND><<<o->sms * 4, BLOCK>>>(o->out);
}

template <kind KIND> static struct arm arm_of(struct output *o, unsigned *got)
{
	struct arm a = { launch<KIND>, o, LOOPS };
	a.launch(o);
	CUDA(cudaMemcpy(got, o->out, BLOCK * sizeof *got, cudaMemcpyDeviceToHost));
	return a;
}

int main(void)
{
	static unsigned got[3][BLOCK];
	cudaFuncAttributes attributes;
	struct output o = { .sms = device_open() };
	o.out = (unsigned *)device_bytes((size_t)o.sms * 4 * BLOCK * sizeof *o.out, 0);
	struct arm fixed = arm_of<FIXED>(&o, got[0]);
	struct arm array = arm_of<ARRAY>(&o, got[1]);
	struct arm shared = arm_of<SHARED>(&o, got[2]);
	/* Each whole round reads every number once, in whatever order. */
	hold(memcmp(got[0], got[1], sizeof got[0]) == 0 && memcmp(got[0], got[2], sizeof got[0]) == 0,
	     "the sums differ");
	CUDA(cudaFuncGetAttributes(&attributes, look_up<ARRAY>));
	printf("loss_array %.4g ratio\n", ratio_of(&array, &fixed, 40));
	printf("loss_shared %.4g ratio\n", ratio_of(&shared, &fixed, 40));
	printf("array_over_shared %.4g ratio\n", ratio_of(&array, &shared, 40));
	printf("local %d bytes\n", (int)attributes.localSizeBytes);
	return 0;
}
