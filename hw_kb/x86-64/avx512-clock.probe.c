/* Ordinary code right after heavy work on 512-bit registers, and right after the same work on
 * 256-bit registers. Only the ordinary code is timed. */
#include <immintrin.h>
#include <cpuid.h>

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

/* ---- needs: the same text in every probe that has it ---- */
static void needs(int is_there, const char *what)
{
	if (is_there)
		return;
	fprintf(stderr, "needs %s\n", what);
	exit(77);
}
/* ---- */

#define KEEP(v) __asm__ volatile("" : "+v"(v))
#define EIGHT(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)
#define OPEN(i)                                                                                    \
	VECTOR sum##i = START(1.0f);                                                               \
	KEEP(sum##i);
#define STEP(i) sum##i = FMA(sum##i, factor, factor);
#define CLOSE(i) KEEP(sum##i);

#define VECTOR __m256
#define START _mm256_set1_ps
#define FMA _mm256_fmadd_ps
__attribute__((target("avx2,fma"))) static void heat_256(void *half, long reps)
{
	const VECTOR factor = START(*(const float *)half);
	EIGHT(OPEN)
	for (long i = 0; i < reps; i++) {
		EIGHT(STEP)
	}
	EIGHT(CLOSE)
}
#undef VECTOR
#undef START
#undef FMA

#define VECTOR __m512
#define START _mm512_set1_ps
#define FMA _mm512_fmadd_ps
__attribute__((target("avx512f"))) static void heat_512(void *half, long reps)
{
	const VECTOR factor = START(*(const float *)half);
	EIGHT(OPEN)
	for (long i = 0; i < reps; i++) {
		EIGHT(STEP)
	}
	EIGHT(CLOSE)
}

static void ordinary(long steps)
{
	unsigned long v = 1;
	for (long i = 0; i < steps; i++) {
		v = v * 3 + 1;
		__asm__ volatile("" : "+r"(v));
	}
}

enum { ROUNDS = 151, ORDINARY_STEPS = 100000 };
static const double heat_ns = 600000;

/* Vector work for a while, then the time of ordinary code. */
static double ordinary_ns_after(void (*heat)(void *half, long reps))
{
	float half = 0.5f;
	const double end = now_ns() + heat_ns;
	while (now_ns() < end)
		heat(&half, 2000);
	const double start = now_ns();
	ordinary(ORDINARY_STEPS);
	return now_ns() - start;
}

static double after_effect(void)
{
	static double ratio[ROUNDS];
	for (int n = 0; n < ROUNDS; n++) {
		double of_wide = 0;
		if (n % 2)
			of_wide = ordinary_ns_after(heat_512);
		const double of_narrow = ordinary_ns_after(heat_256);
		if (n % 2 == 0)
			of_wide = ordinary_ns_after(heat_512);
		ratio[n] = of_wide / of_narrow;
	}
	return median(ratio, ROUNDS);
}

/* VBMI2 came with the first cores that no longer lower their clock step by step. */
static int has_vbmi2(void)
{
	unsigned a = 0, b = 0, c = 0, d = 0;
	return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (c >> 6 & 1);
}

int main(void)
{
	needs(__builtin_cpu_supports("avx512f") && has_vbmi2(), "AVX-512 with VBMI2");
	printf("after_512_over_256 %.4g ratio\n", after_effect());
	return 0;
}
