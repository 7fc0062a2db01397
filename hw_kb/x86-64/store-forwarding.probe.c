/* A value goes through memory: stored as a whole and loaded as a whole; stored in halves and loaded
 * as a whole; stored as a whole and loaded in halves. */
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

#define CLOBBER() __asm__ volatile("" ::: "memory")

static float room[8][16] __attribute__((aligned(64)));

static void whole_to_whole(void *state, long reps)
{
	__m128 v = _mm_set1_ps(*(const float *)state);
	for (long i = 0; i < reps; i++) {
		float *slot = room[i & 7];
		_mm_store_ps(slot, v);
		CLOBBER();
		v = _mm_load_ps(slot);
	}
	_mm_store_ps(room[0], v);
}

static void halves_to_whole(void *state, long reps)
{
	__m128 v = _mm_set1_ps(*(const float *)state);
	for (long i = 0; i < reps; i++) {
		float *slot = room[i & 7];
		_mm_storel_pi((__m64 *)(void *)slot, v);
		_mm_storeh_pi((__m64 *)(void *)(slot + 2), v);
		CLOBBER();
		v = _mm_load_ps(slot);
	}
	_mm_store_ps(room[0], v);
}

static void whole_to_half(void *state, long reps)
{
	__m128 v = _mm_set1_ps(*(const float *)state);
	for (long i = 0; i < reps; i++) {
		float *slot = room[i & 7];
		_mm_store_ps(slot, v);
		CLOBBER();
		v = _mm_castpd_ps(_mm_load_sd((const double *)(const void *)(slot + 2)));
	}
	_mm_store_ps(room[0], v);
}

int main(void)
{
	float one = 1.0f;
	const struct arm whole = { whole_to_whole, &one, 1 };
	const struct arm halves = { halves_to_whole, &one, 1 };
	const struct arm part = { whole_to_half, &one, 1 };
	printf("halves_to_whole %.4g ratio\n", ratio_of(&halves, &whole, 200));
	printf("whole_to_half %.4g ratio\n", ratio_of(&part, &whole, 200));
	return 0;
}
