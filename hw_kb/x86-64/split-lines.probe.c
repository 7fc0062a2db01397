/* Loads and stores of 32 bytes that lie across the border of two lines, against ones within a line.
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

enum { BYTES = 8192, LINE = 64 };
static char room[BYTES + LINE] __attribute__((aligned(64)));
static const size_t within = 0;
static const size_t across = 48;

__attribute__((target("avx"))) static void load(void *state, long reps)
{
	const char *from = room + *(const size_t *)state;
	for (long r = 0; r < reps; r++)
		for (size_t i = 0; i < BYTES; i += 4 * (size_t)LINE) {
			__m256 a = _mm256_loadu_ps((const float *)(const void *)(from + i));
			__m256 b = _mm256_loadu_ps((const float *)(const void *)(from + i + LINE));
			__m256 c =
				_mm256_loadu_ps((const float *)(const void *)(from + i + 2 * LINE));
			__m256 d =
				_mm256_loadu_ps((const float *)(const void *)(from + i + 3 * LINE));
			KEEP(a);
			KEEP(b);
			KEEP(c);
			KEEP(d);
		}
}

__attribute__((target("avx"))) static void store(void *state, long reps)
{
	char *to = room + *(const size_t *)state;
	__m256 v = _mm256_set1_ps(1.0f);
	for (long r = 0; r < reps; r++)
		for (size_t i = 0; i < BYTES; i += 2 * (size_t)LINE) {
			KEEP(v);
			_mm256_storeu_ps((float *)(void *)(to + i), v);
			_mm256_storeu_ps((float *)(void *)(to + i + LINE), v);
		}
}

/* A neighbour on the core's other thread hides what a split costs: in turns, the quickest of each
 * side. */
static double ratio_of_quickest(const struct arm *a, const struct arm *b, double budget_ms)
{
	const long reps_a = slot_reps(a);
	const long reps_b = slot_reps(b);
	const double end = now_ns() + 1e6 * budget_ms;
	double of_a = unit_ns(a, reps_a);
	double of_b = unit_ns(b, reps_b);
	for (int n = 0; n < ROUNDS_MIN || now_ns() < end; n++) {
		const double again_a = unit_ns(a, reps_a);
		const double again_b = unit_ns(b, reps_b);
		of_a = again_a < of_a ? again_a : of_a;
		of_b = again_b < of_b ? again_b : of_b;
	}
	return of_a / of_b;
}

int main(void)
{
	needs(__builtin_cpu_supports("avx"), "AVX");
	size_t offset[2] = { within, across };
	const struct arm loads[2] = { { load, offset, 1 }, { load, offset + 1, 1 } };
	const struct arm stores[2] = { { store, offset, 1 }, { store, offset + 1, 1 } };
	printf("load_loss %.4g ratio\n", ratio_of_quickest(&loads[1], &loads[0], 200));
	printf("store_loss %.4g ratio\n", ratio_of_quickest(&stores[1], &stores[0], 200));
	printf("load_loss_median %.4g ratio\n", ratio_of(&loads[1], &loads[0], 50));
	return 0;
}
