/* Adds up rows of 64 numbers: the lanes of each vector at once, and the vectors of a row first. */
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

enum { ROW = 64, ROWS = 32 };
static float numbers[ROWS * ROW] __attribute__((aligned(64)));
static float sums[ROWS];

__attribute__((target("avx2"))) static float lanes(__m256 v)
{
	__m128 half = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
	half = _mm_add_ps(half, _mm_movehl_ps(half, half));
	half = _mm_add_ss(half, _mm_shuffle_ps(half, half, 1));
	return _mm_cvtss_f32(half);
}

__attribute__((target("avx2"))) static void each_vector(void *state, long reps)
{
	(void)state;
	for (long r = 0; r < reps; r++) {
		for (int row = 0; row < ROWS; row++) {
			float sum = 0;
			for (int i = 0; i < ROW; i += 8)
				sum += lanes(_mm256_load_ps(numbers + row * ROW + i));
			sums[row] = sum;
		}
		/* Somebody may read them: without that no compiler makes them. */
		__asm__ volatile("" ::"r"(sums), "r"(numbers) : "memory");
	}
}

__attribute__((target("avx2"))) static void each_row(void *state, long reps)
{
	(void)state;
	for (long r = 0; r < reps; r++) {
		for (int row = 0; row < ROWS; row++) {
			__m256 sum = _mm256_load_ps(numbers + row * ROW);
			for (int i = 8; i < ROW; i += 8)
				sum = _mm256_add_ps(sum, _mm256_load_ps(numbers + row * ROW + i));
			sums[row] = lanes(sum);
		}
		/* Somebody may read them: without that no compiler makes them. */
		__asm__ volatile("" ::"r"(sums), "r"(numbers) : "memory");
	}
}

int main(void)
{
	needs(__builtin_cpu_supports("avx2"), "AVX2");
	for (int i = 0; i < ROWS * ROW; i++)
		numbers[i] = (float)(i % 7);
	const struct arm early = { each_vector, NULL, ROWS * ROW };
	const struct arm late = { each_row, NULL, ROWS * ROW };
	printf("gain %.4g ratio\n", ratio_of(&early, &late, 300));
	return 0;
}
