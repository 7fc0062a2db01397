/* Twelve sums from the first level of cache: two loads for each multiply-add, and a tile of six by
 * two sums that uses each loaded value several times. */
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

#define KEEP(v) __asm__ volatile("" : "+x"(v))
#define TWELVE(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11)
#define OPEN(i)                                                                                    \
	__m256 sum##i = _mm256_setzero_ps();                                                       \
	KEEP(sum##i);
#define CLOSE(i) KEEP(sum##i);

enum { STEPS = 16 };
static float left[STEPS * 96] __attribute__((aligned(64)));
static float right[STEPS * 96] __attribute__((aligned(64)));

#define TWO_LOADS(i)                                                                               \
	__m256 x##i = _mm256_load_ps(x + 8 * i);                                                   \
	KEEP(x##i);                                                                                \
	sum##i = _mm256_fmadd_ps(x##i, _mm256_load_ps(y + 8 * i), sum##i);
__attribute__((target("avx2,fma"))) static void streamed(void *state, long reps)
{
	(void)state;
	TWELVE(OPEN)
	for (long r = 0; r < reps; r++)
		for (int k = 0; k < STEPS; k++) {
			const float *x = left + k * 96;
			const float *y = right + k * 96;
			TWELVE(TWO_LOADS)
			__asm__ volatile("" ::: "memory");
		}
	TWELVE(CLOSE)
}

#define ROW(row, a, b)                                                                             \
	{                                                                                          \
		const __m256 one = _mm256_broadcast_ss(x + row);                                   \
		sum##a = _mm256_fmadd_ps(one, y0, sum##a);                                         \
		sum##b = _mm256_fmadd_ps(one, y1, sum##b);                                         \
	}
__attribute__((target("avx2,fma"))) static void tiled(void *state, long reps)
{
	(void)state;
	TWELVE(OPEN)
	for (long r = 0; r < reps; r++)
		for (int k = 0; k < STEPS; k++) {
			const float *x = left + k * 6;
			const __m256 y0 = _mm256_load_ps(right + k * 16);
			const __m256 y1 = _mm256_load_ps(right + k * 16 + 8);
			ROW(0, 0, 1)
			ROW(1, 2, 3)
			ROW(2, 4, 5)
			ROW(3, 6, 7)
			ROW(4, 8, 9)
			ROW(5, 10, 11)
			__asm__ volatile("" ::: "memory");
		}
	TWELVE(CLOSE)
}

int main(void)
{
	needs(__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"), "AVX2 and FMA");
	const struct arm two_loads = { streamed, NULL, STEPS * 12 };
	const struct arm tile = { tiled, NULL, STEPS * 12 };
	printf("gain %.4g ratio\n", ratio_of(&two_loads, &tile, 300));
	return 0;
}
