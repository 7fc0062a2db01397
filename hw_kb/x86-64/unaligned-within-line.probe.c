/* Loads of 16 bytes at odd addresses that stay within a line, against aligned ones; an addition takes
 * each. */
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

#define KEEP(v) __asm__ volatile("" : "+x"(v))

/* As many sums as additions are on their way at once. */
enum { BYTES = 8192, LINE = 64, SUMS = 8 };
static char room[BYTES + LINE] __attribute__((aligned(64)));

/* The first 32 bytes of each line, in two loads; each feeds an addition, as an input does. */
static void any_address(void *state, long reps)
{
	const char *from = room + *(const size_t *)state;
	__asm__ volatile("" : "+r"(from) : : "memory");
	__m128 sum[SUMS];
	for (int k = 0; k < SUMS; k++)
		sum[k] = _mm_setzero_ps();
	for (long r = 0; r < reps; r++)
		for (size_t i = 0; i < BYTES; i += SUMS / 2 * (size_t)LINE)
			for (size_t k = 0; k < SUMS; k++)
				sum[k] = _mm_add_ps(
					sum[k], _mm_loadu_ps((const float *)(const void *)(from + i +
											   k / 2 * LINE +
											   k % 2 * 16)));
	for (int k = 0; k < SUMS; k++)
		KEEP(sum[k]);
}

int main(void)
{
	size_t offset[2] = { 0, 5 };
	const struct arm aligned = { any_address, offset, 1 };
	const struct arm odd = { any_address, offset + 1, 1 };
	printf("loss %.4g ratio\n", ratio_of(&odd, &aligned, 200));
	return 0;
}
