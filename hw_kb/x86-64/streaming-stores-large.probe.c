/* Fills and copies 128 MiB by ordinary and by streaming stores. */
#include <immintrin.h>
#include <sys/mman.h>

/* ---- clock: the same text in every probe of this folder ---- */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
	const double x = *(const double *)a;
	const double y = *(const double *)b;
	return (x > y) - (x < y);
}

static double median(double *v, int n)
{
	qsort(v, (size_t)n, sizeof *v, by_value);
	return n % 2 ? v[n / 2] : 0.5 * (v[n / 2 - 1] + v[n / 2]);
}
/* ---- */

/* ---- arms: the same text in every probe that has it ---- */
#define SLOT_NS 150000.0 /* thousands of clock ticks, a small part of a scheduler's time slice */
#define ROUNDS_MIN 11
#define ROUNDS_MAX 301

struct arm {
	void (*run)(void *state, long reps);
	void *state;
	double work; /* units of work in one repetition; times are compared per unit */
};

static double unit_ns(const struct arm *a, long reps)
{
	const double start = now_ns();
	a->run(a->state, reps);
	return (now_ns() - start) / ((double)reps * a->work);
}

static long slot_reps(const struct arm *a)
{
	long reps = 1;
	while (unit_ns(a, reps) * (double)reps * a->work < SLOT_NS && reps < 1L << 40)
		reps *= 2;
	return reps;
}

/* Time of a over time of b, per unit: median over neighbouring slots, which run a first and b first
 * in turn. */
static double ratio_of(const struct arm *a, const struct arm *b, double budget_ms)
{
	static double ratio[ROUNDS_MAX];
	const long reps_a = slot_reps(a);
	const long reps_b = slot_reps(b);
	const double end = now_ns() + 1e6 * budget_ms;
	int n = 0;
	while (n < ROUNDS_MAX && (n < ROUNDS_MIN || now_ns() < end)) {
		double of_a = 0;
		if (n % 2)
			of_a = unit_ns(a, reps_a);
		const double of_b = unit_ns(b, reps_b);
		if (n % 2 == 0)
			of_a = unit_ns(a, reps_a);
		ratio[n++] = of_a / of_b;
	}
	return median(ratio, n);
}
/* ---- */

/* ---- needs: the same text in every probe that has it ---- */
static void needs(int is_there, const char *what)
{
	if (is_there)
		return;
	fprintf(stderr, "needs %s\n", what);
	exit(77);
}
/* ---- */

/* ---- mapped: the same text in every probe that has it ---- */
static void *mapped(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	needs(p != MAP_FAILED, "more memory");
	return p;
}
/* ---- */

#define KEEP(v) __asm__ volatile("" : "+x"(v))

static const size_t elements = (size_t)128 << 18; /* 128 MiB of float */

struct buffers {
	float *to;
	const float *from;
};

__attribute__((target("avx"))) static void fill_ordinary(void *state, long reps)
{
	float *to = ((const struct buffers *)state)->to;
	__m256 v = _mm256_set1_ps(1.0f);
	for (long r = 0; r < reps; r++)
		for (size_t i = 0; i < elements; i += 8) {
			KEEP(v);
			_mm256_store_ps(to + i, v);
		}
}

__attribute__((target("avx"))) static void fill_streaming(void *state, long reps)
{
	float *to = ((const struct buffers *)state)->to;
	__m256 v = _mm256_set1_ps(1.0f);
	for (long r = 0; r < reps; r++)
		for (size_t i = 0; i < elements; i += 8) {
			KEEP(v);
			_mm256_stream_ps(to + i, v);
		}
	_mm_sfence();
}

__attribute__((target("avx"))) static void copy_ordinary(void *state, long reps)
{
	const struct buffers *b = state;
	for (long r = 0; r < reps; r++)
		for (size_t i = 0; i < elements; i += 8) {
			__m256 v = _mm256_load_ps(b->from + i);
			KEEP(v);
			_mm256_store_ps(b->to + i, v);
		}
}

__attribute__((target("avx"))) static void copy_streaming(void *state, long reps)
{
	const struct buffers *b = state;
	for (long r = 0; r < reps; r++)
		for (size_t i = 0; i < elements; i += 8) {
			__m256 v = _mm256_load_ps(b->from + i);
			KEEP(v);
			_mm256_stream_ps(b->to + i, v);
		}
	_mm_sfence();
}

int main(void)
{
	needs(__builtin_cpu_supports("avx"), "AVX");
	struct buffers b = { mapped(elements * sizeof(float)), mapped(elements * sizeof(float)) };
	const struct arm fill[2] = { { fill_ordinary, &b, 1 }, { fill_streaming, &b, 1 } };
	const struct arm copy[2] = { { copy_ordinary, &b, 1 }, { copy_streaming, &b, 1 } };
	printf("fill_gain %.4g ratio\n", ratio_of(&fill[0], &fill[1], 300));
	printf("copy_gain %.4g ratio\n", ratio_of(&copy[0], &copy[1], 300));
	return 0;
}
