/* Two passes over twice the last level of cache, one after the other, and both over 16 KiB before
 * the next 16 KiB. */
#include <immintrin.h>
#include <sys/mman.h>
#include <unistd.h>

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

static const size_t block = 4096; /* 16 KiB of float */
static size_t elements;

/* Of whole blocks; 64 MiB to 1 GiB. */
static size_t twice_the_last_level(void)
{
	const size_t least = (size_t)64 << 20;
	const size_t most = (size_t)1 << 30;
	const long last = sysconf(_SC_LEVEL3_CACHE_SIZE);
	size_t bytes = last > 0 ? 2 * (size_t)last : least;
	if (bytes < least)
		bytes = least;
	if (bytes > most)
		bytes = most;
	return bytes / (sizeof(float) * block) * block;
}

__attribute__((target("avx"))) static void pass(float *v, size_t n, float f)
{
	const __m256 factor = _mm256_set1_ps(f);
	for (size_t i = 0; i < n; i += 8)
		_mm256_store_ps(
			v + i, _mm256_add_ps(_mm256_mul_ps(_mm256_load_ps(v + i), factor), factor));
	__asm__ volatile("" ::: "memory");
}

static void whole_passes(void *state, long reps)
{
	for (long r = 0; r < reps; r++) {
		pass(state, elements, 0.5f);
		pass(state, elements, 0.25f);
	}
}

static void in_blocks(void *state, long reps)
{
	float *v = state;
	for (long r = 0; r < reps; r++)
		for (size_t i = 0; i < elements; i += block) {
			pass(v + i, block, 0.5f);
			pass(v + i, block, 0.25f);
		}
}

int main(void)
{
	needs(__builtin_cpu_supports("avx"), "AVX");
	elements = twice_the_last_level();
	float *v = mapped(elements * sizeof *v);
	const struct arm whole = { whole_passes, v, 1 };
	const struct arm blocks = { in_blocks, v, 1 };
	printf("gain %.4g ratio\n", ratio_of(&whole, &blocks, 500));
	return 0;
}
