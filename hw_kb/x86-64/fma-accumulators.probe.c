/* One chain of fused multiply-adds against four, eight and twelve that do not wait for each other.
 */
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
#define ONE(X) X(0)
#define FOUR(X) X(0) X(1) X(2) X(3)
#define EIGHT(X) FOUR(X) X(4) X(5) X(6) X(7)
#define TWELVE(X) EIGHT(X) X(8) X(9) X(10) X(11)
#define OPEN(i)                                                                                    \
	__m256 sum##i = _mm256_set1_ps(1.0f);                                                      \
	KEEP(sum##i);
#define STEP(i) sum##i = _mm256_fmadd_ps(sum##i, factor, addend);
#define CLOSE(i) KEEP(sum##i);
#define CHAINS(name, MANY)                                                                         \
	__attribute__((target("avx2,fma"))) static void name(void *half, long reps)                \
	{                                                                                          \
		const __m256 factor = _mm256_set1_ps(*(const float *)half);                        \
		const __m256 addend = factor;                                                      \
		MANY(OPEN)                                                                         \
		for (long i = 0; i < reps; i++) {                                                  \
			MANY(STEP)                                                                 \
		}                                                                                  \
		MANY(CLOSE)                                                                        \
	}

CHAINS(chains_1, ONE)
CHAINS(chains_4, FOUR)
CHAINS(chains_8, EIGHT)
CHAINS(chains_12, TWELVE)

int main(void)
{
	needs(__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"), "AVX2 and FMA");
	float half = 0.5f;
	const struct arm one = { chains_1, &half, 1 };
	const struct arm four = { chains_4, &half, 4 };
	const struct arm eight = { chains_8, &half, 8 };
	const struct arm twelve = { chains_12, &half, 12 };
	printf("gain_4 %.4g ratio\n", ratio_of(&one, &four, 150));
	printf("gain_8 %.4g ratio\n", ratio_of(&one, &eight, 150));
	printf("gain_12_over_8 %.4g ratio\n", ratio_of(&eight, &twelve, 150));
	return 0;
}
