/* The same multiply-adds on registers of 128 and of 256 bits, and a loop that only moves from the
 * first level of cache to itself. */
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
#define TEN(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9)
#define OPEN(i)                                                                                    \
	VECTOR sum##i = START(1.0f);                                                               \
	KEEP(sum##i);
#define STEP(i) sum##i = FMA(sum##i, factor, factor);
#define CLOSE(i) KEEP(sum##i);

#define VECTOR __m128
#define START _mm_set1_ps
#define FMA _mm_fmadd_ps
__attribute__((target("avx2,fma"))) static void compute_128(void *half, long reps)
{
	const VECTOR factor = START(*(const float *)half);
	TEN(OPEN)
	for (long i = 0; i < reps; i++) {
		TEN(STEP)
	}
	TEN(CLOSE)
}
#undef VECTOR
#undef START
#undef FMA

#define VECTOR __m256
#define START _mm256_set1_ps
#define FMA _mm256_fmadd_ps
__attribute__((target("avx2,fma"))) static void compute_256(void *half, long reps)
{
	const VECTOR factor = START(*(const float *)half);
	TEN(OPEN)
	for (long i = 0; i < reps; i++) {
		TEN(STEP)
	}
	TEN(CLOSE)
}

enum { ELEMENTS = 2048 };
static float from[ELEMENTS] __attribute__((aligned(64)));
static float to[ELEMENTS] __attribute__((aligned(64)));

__attribute__((target("avx2"))) static void move_128(void *state, long reps)
{
	(void)state;
	for (long r = 0; r < reps; r++)
		for (int i = 0; i < ELEMENTS; i += 8) {
			__m128 a = _mm_load_ps(from + i);
			__m128 b = _mm_load_ps(from + i + 4);
			KEEP(a);
			KEEP(b);
			_mm_store_ps(to + i, a);
			_mm_store_ps(to + i + 4, b);
		}
}

__attribute__((target("avx2"))) static void move_256(void *state, long reps)
{
	(void)state;
	for (long r = 0; r < reps; r++)
		for (int i = 0; i < ELEMENTS; i += 16) {
			__m256 a = _mm256_load_ps(from + i);
			__m256 b = _mm256_load_ps(from + i + 8);
			KEEP(a);
			KEEP(b);
			_mm256_store_ps(to + i, a);
			_mm256_store_ps(to + i + 8, b);
		}
}

/* The first Zen and the efficiency cores of Intel carry out 256 bits in two steps. */
static int core_is_full_width(void)
{
	unsigned a = 0, b = 0, c = 0, d = 0;
	__get_cpuid(1, &a, &b, &c, &d);
	const unsigned family = (a >> 8 & 15) + (a >> 20 & 255);
	const unsigned model = (a >> 4 & 15) + (a >> 12 & 240);
	if (__builtin_cpu_is("amd"))
		return family != 23 || model >= 48;
	if (model == 0xbe || model == 0xaf || model == 0xb6)
		return 0;
	return !__get_cpuid_count(0x1a, 0, &a, &b, &c, &d) || a >> 24 != 0x20;
}

int main(void)
{
	needs(__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"), "AVX2 and FMA");
	needs(core_is_full_width(), "units of 256 bits");
	float half = 0.5f;
	const struct arm narrow = { compute_128, &half, 10 * 4 };
	const struct arm wide = { compute_256, &half, 10 * 8 };
	const struct arm narrow_move = { move_128, NULL, ELEMENTS };
	const struct arm wide_move = { move_256, NULL, ELEMENTS };
	printf("compute_gain %.4g ratio\n", ratio_of(&narrow, &wide, 200));
	printf("move_gain %.4g ratio\n", ratio_of(&narrow_move, &wide_move, 200));
	return 0;
}
