/* Reading a buffer again and again that fits the second level of cache easily, just, and not.
 */
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

struct input {
	const uint4 *in;
	unsigned *out;
	size_t nr;
	int passes;
	int sms;
};

static __global__ void __launch_bounds__(BLOCK)
	read_all(const uint4 *in, size_t nr, int passes, unsigned *out)
{
	const size_t step = (size_t)gridDim.x * BLOCK;
	unsigned sum = 0;
	for (int p = 0; p < passes; p++)
#pragma unroll 4
		for (size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x; i < nr; i += step) {
			uint4 v;
			/* Not from the first level of cache. */
			asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
				     : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
				     : "l"(in + i));
			sum += v.x + v.y + v.z + v.w;
		}
	if (sum == 1) /* never: sums are multiples of 0x01010101 */
		atomicAdd(out, sum);
}

static void launch(void *state)
{
	const struct input *s = (const struct input *)state;
	read_all<<<s->sms * 8, BLOCK>>>(s->in, s->nr, s->passes, s->out);
}

static struct input input_of(const struct input *all, size_t mib)
{
	struct input s = *all;
	s.nr = (mib << 20) / sizeof(uint4);
	s.passes = (int)(512 / mib);
	return s;
}

static double gigabytes(const struct input *s)
{
	return (double)(s->nr * sizeof(uint4)) * s->passes / 1e9;
}

int main(void)
{
	struct input all = { .sms = device_open() };
	all.in = (const uint4 *)device_bytes((size_t)512 << 20, 1);
	all.out = (unsigned *)device_bytes(sizeof *all.out, 0);
	struct input of_16 = input_of(&all, 16);
	struct input of_32 = input_of(&all, 32);
	struct input of_64 = input_of(&all, 64);
	struct input of_512 = input_of(&all, 512);
	struct arm small = { launch, &of_16, gigabytes(&of_16) };
	struct arm middle = { launch, &of_32, gigabytes(&of_32) };
	struct arm large = { launch, &of_64, gigabytes(&of_64) };
	struct arm memory = { launch, &of_512, gigabytes(&of_512) };
	printf("gain_16 %.4g ratio\n", ratio_of(&memory, &small, 50));
	printf("gain_32 %.4g ratio\n", ratio_of(&memory, &middle, 50));
	printf("gain_64 %.4g ratio\n", ratio_of(&memory, &large, 50));
	printf("rate_16 %.4g GB/s\nrate_memory %.4g GB/s\n", 1e9 / small.ns, 1e9 / memory.ns);
	return 0;
}
