/* Reading 512 MiB with few threads that have one load or eight loads under way, and with as many
 * threads as fit. */
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
#define FULL_BLOCKS 8 /* a multiprocessor holds 2048 threads */
#define ALONE_BYTES (200 << 10) /* of shared memory: no second block fits beside */

struct input {
	const uint4 *in;
	unsigned *out;
	size_t nr;
	int sms;
};

template <int LOADS>
static __global__ void __launch_bounds__(BLOCK) read_all(const uint4 *in, size_t nr, unsigned *out)
{
	const size_t step = (size_t)gridDim.x * BLOCK;
	uint4 sum = make_uint4(0, 0, 0, 0);
#pragma unroll 1
	for (size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x; i < nr; i += LOADS * step) {
		uint4 v[LOADS];
#pragma unroll
		for (int k = 0; k < LOADS; k++)
			v[k] = in[i + k * step];
#pragma unroll
		for (int k = 0; k < LOADS; k++) {
			sum.x += v[k].x;
			sum.y += v[k].y;
			sum.z += v[k].z;
			sum.w += v[k].w;
		}
	}
	atomicAdd(out, sum.x + sum.y + sum.z + sum.w);
}

template <int LOADS> static void few(void *state)
{
	const struct input *s = (const struct input *)state;
	read_all<LOADS><<<s->sms, BLOCK, ALONE_BYTES>>>(s->in, s->nr, s->out);
}

static void full(void *state)
{
	const struct input *s = (const struct input *)state;
	read_all<1><<<s->sms * FULL_BLOCKS, BLOCK>>>(s->in, s->nr, s->out);
}

template <int LOADS> static void allow(void)
{
	CUDA(cudaFuncSetAttribute(read_all<LOADS>, cudaFuncAttributeMaxDynamicSharedMemorySize,
				  ALONE_BYTES));
}

/* All bytes are 1, so the sum says whether each word was read once. */
static void check_sum(const struct input *s, struct arm *a)
{
	unsigned got = 0;
	CUDA(cudaMemset(s->out, 0, sizeof got));
	a->launch(a->state);
	CUDA(cudaMemcpy(&got, s->out, sizeof got, cudaMemcpyDeviceToHost));
	hold(got == (unsigned)(s->nr * 4) * 0x01010101u, "not every word was read once");
}

int main(void)
{
	struct input s = { .sms = device_open() };
	const size_t round = (size_t)s.sms * BLOCK * FULL_BLOCKS;
	s.nr = ((size_t)512 << 20) / sizeof(uint4) / round * round;
	s.in = (const uint4 *)device_bytes(s.nr * sizeof(uint4), 1);
	s.out = (unsigned *)device_bytes(sizeof *s.out, 0);
	allow<1>();
	allow<2>();
	allow<4>();
	allow<8>();
	const double gigabytes = (double)(s.nr * sizeof(uint4)) / 1e9;
	struct arm one = { few<1>, &s, gigabytes };
	struct arm two = { few<2>, &s, gigabytes };
	struct arm four = { few<4>, &s, gigabytes };
	struct arm eight = { few<8>, &s, gigabytes };
	struct arm many = { full, &s, gigabytes };
	struct arm *all[] = { &one, &two, &four, &eight, &many };
	for (int i = 0; i < 5; i++)
		check_sum(&s, all[i]);
	printf("gain_8 %.4g ratio\n", ratio_of(&one, &eight, 50));
	printf("full_over_8 %.4g ratio\n", ratio_of(&many, &eight, 50));
	printf("gain_4_over_2 %.4g ratio\n", ratio_of(&two, &four, 50));
	printf("rate_1 %.4g GB/s\nrate_2 %.4g GB/s\nrate_4 %.4g GB/s\nrate_8 %.4g GB/s\nrate_full %.4g GB/s\n",
	       1e9 / one.ns, 1e9 / two.ns, 1e9 / four.ns, 1e9 / eight.ns, 1e9 / many.ns);
	return 0;
}
