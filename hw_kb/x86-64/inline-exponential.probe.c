/* The exponential of 1024 numbers: a call of the library for each, and a polynomial on eight lanes.
 */
#include <immintrin.h>
#include <math.h>

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

enum { ELEMENTS = 1024 };
static float from[ELEMENTS] __attribute__((aligned(64)));
static float to[ELEMENTS] __attribute__((aligned(64)));

static void by_calls(void *state, long reps)
{
	float (*volatile function)(float) = expf;
	(void)state;
	for (long r = 0; r < reps; r++)
		for (int i = 0; i < ELEMENTS; i++)
			to[i] = function(from[i]);
}

/* 2^whole by the exponent's bits, 2^part by the first terms of its series, part in [-1/2, 1/2]. */
__attribute__((target("avx2,fma"))) static __m256 exponential(__m256 x)
{
	const __m256 scaled = _mm256_mul_ps(x, _mm256_set1_ps(1.44269504f));
	const __m256 whole = _mm256_round_ps(scaled, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
	const __m256 part = _mm256_sub_ps(scaled, whole);
	__m256 p = _mm256_set1_ps(0.00015403530f);
	p = _mm256_fmadd_ps(p, part, _mm256_set1_ps(0.0013333558f));
	p = _mm256_fmadd_ps(p, part, _mm256_set1_ps(0.0096181291f));
	p = _mm256_fmadd_ps(p, part, _mm256_set1_ps(0.055504109f));
	p = _mm256_fmadd_ps(p, part, _mm256_set1_ps(0.24022651f));
	p = _mm256_fmadd_ps(p, part, _mm256_set1_ps(0.69314718f));
	p = _mm256_fmadd_ps(p, part, _mm256_set1_ps(1.0f));
	const __m256i shift = _mm256_slli_epi32(_mm256_cvtps_epi32(whole), 23);
	return _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(p), shift));
}

__attribute__((target("avx2,fma"))) static void by_polynomial(void *state, long reps)
{
	(void)state;
	for (long r = 0; r < reps; r++) {
		for (int i = 0; i < ELEMENTS; i += 8)
			_mm256_store_ps(to + i, exponential(_mm256_load_ps(from + i)));
		__asm__ volatile("" ::: "memory");
	}
}

static double worst_error(void)
{
	double worst = 0;
	by_polynomial(NULL, 1);
	for (int i = 0; i < ELEMENTS; i++) {
		const double exact = exp((double)from[i]);
		const double error = fabs((double)to[i] - exact) / exact;
		worst = error > worst ? error : worst;
	}
	return worst;
}

int main(void)
{
	needs(__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"), "AVX2 and FMA");
	for (int i = 0; i < ELEMENTS; i++)
		from[i] = (float)(i - ELEMENTS / 2) / 64.0f;
	if (worst_error() > 2e-6)
		return 1;
	const struct arm calls = { by_calls, NULL, ELEMENTS };
	const struct arm inlined = { by_polynomial, NULL, ELEMENTS };
	printf("gain %.4g ratio\n", ratio_of(&calls, &inlined, 300));
	return 0;
}
