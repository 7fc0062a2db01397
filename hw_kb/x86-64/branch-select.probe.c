/* Adds those of 65536 numbers that are above a threshold, by a branch and by a mask; numbers in
 * random order, and in rising order. */
#include <stdint.h>

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

enum { ELEMENTS = 65536 };
static int32_t at_random[ELEMENTS];
static int32_t rising[ELEMENTS];
static const int32_t threshold = 128;

static void by_branch(void *state, long reps)
{
	const int32_t *v = state;
	int32_t sum = 0;
	for (long r = 0; r < reps; r++)
		for (int i = 0; i < ELEMENTS; i++)
			if (v[i] >= threshold) {
				sum += v[i];
				__asm__ volatile("" : "+r"(sum)); /* stays a branch */
			}
}

static void by_mask(void *state, long reps)
{
	const int32_t *v = state;
	int32_t sum = 0;
	for (long r = 0; r < reps; r++)
		for (int i = 0; i < ELEMENTS; i++) {
			sum += v[i] & -(int32_t)(v[i] >= threshold);
			__asm__ volatile("" : "+r"(sum)); /* stays scalar */
		}
}

static void fill(void)
{
	uint64_t seed = 88172645463325252u;
	for (int i = 0; i < ELEMENTS; i++) {
		seed ^= seed << 13;
		seed ^= seed >> 7;
		seed ^= seed << 17;
		at_random[i] = (int32_t)(seed >> 40 & 255);
		rising[i] = i / (ELEMENTS / 256);
	}
}

int main(void)
{
	fill();
	const struct arm branch[2] = { { by_branch, at_random, ELEMENTS },
				       { by_branch, rising, ELEMENTS } };
	const struct arm mask[2] = { { by_mask, at_random, ELEMENTS },
				     { by_mask, rising, ELEMENTS } };
	printf("random_loss %.4g ratio\n", ratio_of(&branch[0], &mask[0], 300));
	printf("sorted_loss %.4g ratio\n", ratio_of(&branch[1], &mask[1], 200));
	return 0;
}
