/* Walks down eight columns of 32 rows again and again: rows 4096 bytes apart, and 4160 bytes apart.
 */
#include <string.h>

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

enum { ROWS = 32, COLUMNS = 8, LINE = 64 };
static char room[ROWS * (4096 + LINE)] __attribute__((aligned(4096)));

#define LOAD(row)                                                                                  \
	(void)*(const volatile long *)(const volatile void *)(room + (row)*pitch + column * LINE);
#define FOUR(row) LOAD(row) LOAD((row) + 1) LOAD((row) + 2) LOAD((row) + 3)
#define SIXTEEN(row) FOUR(row) FOUR((row) + 4) FOUR((row) + 8) FOUR((row) + 12)

__attribute__((always_inline)) static inline void walk(long reps, size_t pitch)
{
	for (long r = 0; r < reps; r++)
		for (size_t column = 0; column < COLUMNS; column++) {
			SIXTEEN(0)
			SIXTEEN(16)
		}
}

/* The same lines linked to a ring, down one column after the other. */
static void link_rows(char *p, size_t pitch)
{
	for (size_t i = 0; i < (size_t)ROWS * COLUMNS; i++) {
		const size_t next = (i + 1) % ((size_t)ROWS * COLUMNS);
		*(size_t *)(void *)(p + i % ROWS * pitch + i / ROWS * LINE) =
			next % ROWS * pitch + next / ROWS * LINE;
	}
}

static void chase(void *state, long reps)
{
	const char *p = state;
	size_t at = 0;
	for (long i = 0; i < reps; i++)
		at = *(const volatile size_t *)(const volatile void *)(p + at);
	__asm__ volatile("" : "+r"(at));
}

static void power_of_two(void *state, long reps)
{
	(void)state;
	walk(reps, 4096);
}

static void padded(void *state, long reps)
{
	(void)state;
	walk(reps, 4096 + LINE);
}

int main(void)
{
	memset(room, 1, sizeof room); /* untouched pages would all be one page of zeros */
	const struct arm conflicts = { power_of_two, NULL, ROWS * COLUMNS };
	const struct arm spread = { padded, NULL, ROWS * COLUMNS };
	static char second[ROWS * (4096 + LINE)] __attribute__((aligned(4096)));
	link_rows(room, 4096);
	link_rows(second, 4096 + LINE);
	const struct arm chain_conflicts = { chase, room, 1 };
	const struct arm chain_spread = { chase, second, 1 };
	printf("chain_loss %.4g ratio\n", ratio_of(&chain_conflicts, &chain_spread, 200));
	printf("loss %.4g ratio\n", ratio_of(&conflicts, &spread, 300));
	return 0;
}
