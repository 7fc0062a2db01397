/* Divides 2048 numbers by one number: by division, and by multiplication with its reciprocal. */
#include <immintrin.h>

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

enum { ELEMENTS = 2048 };
static float from[ELEMENTS] __attribute__((aligned(64)));
static float to[ELEMENTS] __attribute__((aligned(64)));

__attribute__((target("avx"))) static void by_division(void *state, long reps)
{
	const __m256 divisor = _mm256_set1_ps(*(const float *)state);
	for (long r = 0; r < reps; r++) {
		for (int i = 0; i < ELEMENTS; i += 8)
			_mm256_store_ps(to + i, _mm256_div_ps(_mm256_load_ps(from + i), divisor));
		__asm__ volatile("" ::: "memory");
	}
}

__attribute__((target("avx"))) static void by_reciprocal(void *state, long reps)
{
	const __m256 factor = _mm256_set1_ps(1.0f / *(const float *)state);
	for (long r = 0; r < reps; r++) {
		for (int i = 0; i < ELEMENTS; i += 8)
			_mm256_store_ps(to + i, _mm256_mul_ps(_mm256_load_ps(from + i), factor));
		__asm__ volatile("" ::: "memory");
	}
}

int main(void)
{
	needs(__builtin_cpu_supports("avx"), "AVX");
	float divisor = 3.0f;
	for (int i = 0; i < ELEMENTS; i++)
		from[i] = (float)(i + 1);
	const struct arm division = { by_division, &divisor, ELEMENTS };
	const struct arm reciprocal = { by_reciprocal, &divisor, ELEMENTS };
	printf("gain %.4g ratio\n", ratio_of(&division, &reciprocal, 300));
	return 0;
}
