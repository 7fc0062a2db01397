/* Takes every second of 4096 numbers: by gather, and by two loads and a shuffle. */
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

enum { ELEMENTS = 2048 }; /* results: 16 KiB are read, 8 KiB written */
static float from[2 * ELEMENTS] __attribute__((aligned(64)));
static float to[ELEMENTS] __attribute__((aligned(64)));

__attribute__((target("avx2"))) static void by_gather(void *state, long reps)
{
	(void)state;
	const __m256i place = _mm256_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14);
	for (long r = 0; r < reps; r++) {
		for (int i = 0; i < ELEMENTS; i += 8)
			_mm256_store_ps(to + i, _mm256_i32gather_ps(from + 2 * i, place, 4));
		__asm__ volatile("" ::: "memory");
	}
}

__attribute__((target("avx2"))) static void by_shuffle(void *state, long reps)
{
	(void)state;
	for (long r = 0; r < reps; r++) {
		for (int i = 0; i < ELEMENTS; i += 8) {
			const __m256 low = _mm256_load_ps(from + 2 * i);
			const __m256 high = _mm256_load_ps(from + 2 * i + 8);
			const __m256 even = _mm256_shuffle_ps(low, high, 0x88);
			const __m256d in_order =
				_mm256_permute4x64_pd(_mm256_castps_pd(even), 0xd8);
			_mm256_store_ps(to + i, _mm256_castpd_ps(in_order));
		}
		__asm__ volatile("" ::: "memory");
	}
}

static int is_right(const struct arm *a)
{
	for (int i = 0; i < ELEMENTS; i++)
		to[i] = -1;
	a->run(a->state, 1);
	for (int i = 0; i < ELEMENTS; i++)
		if (to[i] < (float)(2 * i) || to[i] > (float)(2 * i))
			return 0;
	return 1;
}

int main(void)
{
	needs(__builtin_cpu_supports("avx2"), "AVX2");
	for (int i = 0; i < 2 * ELEMENTS; i++)
		from[i] = (float)i;
	const struct arm gathered = { by_gather, NULL, ELEMENTS };
	const struct arm shuffled = { by_shuffle, NULL, ELEMENTS };
	if (!is_right(&gathered) || !is_right(&shuffled))
		return 1;
	printf("gather_over_shuffle %.4g ratio\n", ratio_of(&gathered, &shuffled, 300));
	return 0;
}
