/* Atomic additions of floating-point numbers to a buffer in global memory, every thread to words of its
 * own: four words by four instructions, or by one. */
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
#define ROUNDS 4
#define WORDS ((size_t)4 << 20)

struct buffer {
	float *words;
};

template <bool IS_VECTOR> static __global__ void __launch_bounds__(BLOCK) add_ones(float *words)
{
	for (int n = 0; n < ROUNDS; n++) {
		const size_t thread = ((size_t)blockIdx.x * BLOCK + threadIdx.x + (size_t)n * 12345 * 32) %
				      (WORDS / 4);
		float *at = words + 4 * thread;
		if (IS_VECTOR)
			asm volatile("red.relaxed.gpu.global.add.v4.f32 [%0], {%1, %1, %1, %1};" ::"l"(at),
				     "f"(1.0f)
				     : "memory");
		else
			for (int i = 0; i < 4; i++)
				asm volatile("red.relaxed.gpu.global.add.f32 [%0], %1;" ::"l"(at + i),
					     "f"(1.0f)
					     : "memory");
	}
}

template <bool IS_VECTOR> static void launch(void *state)
{
	const struct buffer *b = (const struct buffer *)state;
	add_ones<IS_VECTOR><<<(unsigned)(WORDS / 4 / BLOCK), BLOCK>>>(b->words);
}

static void check_words(const struct buffer *b, struct arm *a)
{
	float *got = (float *)malloc(WORDS * sizeof *got);
	CUDA(cudaMemset(b->words, 0, WORDS * sizeof *got));
	a->launch(a->state);
	CUDA(cudaMemcpy(got, b->words, WORDS * sizeof *got, cudaMemcpyDeviceToHost));
	for (size_t i = 0; i < WORDS; i++)
		hold(got[i] == ROUNDS, "a word is wrong");
	free(got);
}

int main(void)
{
	device_open();
	struct buffer b = { (float *)device_bytes(WORDS * sizeof(float), 0) };
	struct arm words = { launch<false>, &b, (double)WORDS * ROUNDS };
	struct arm vectors = { launch<true>, &b, (double)WORDS * ROUNDS };
	check_words(&b, &words);
	check_words(&b, &vectors);
	printf("gain %.4g ratio\n", ratio_of(&words, &vectors, 75));
	printf("word %.4g ns\nvector_word %.4g ns\n", words.ns, vectors.ns);
	return 0;
}
