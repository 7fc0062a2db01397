/* Writes 16 KiB and reads them back, by ordinary and by streaming stores. */
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

enum { ELEMENTS = 4096 };
static float room[ELEMENTS] __attribute__((aligned(64)));

static void read_back(void)
{
	__m128 sum = _mm_setzero_ps();
	for (int i = 0; i < ELEMENTS; i += 16) {
		for (int k = 0; k < 16; k += 4) {
			__m128 v = _mm_load_ps(room + i + k);
			KEEP(v);
			sum = _mm_or_ps(sum, v);
		}
	}
	KEEP(sum);
}

static void ordinary(void *state, long reps)
{
	(void)state;
	for (long r = 0; r < reps; r++) {
		__m128 v = _mm_set1_ps((float)(r & 255));
		for (int i = 0; i < ELEMENTS; i += 4) {
			KEEP(v);
			_mm_store_ps(room + i, v);
		}
		read_back();
	}
}

static void streaming(void *state, long reps)
{
	(void)state;
	for (long r = 0; r < reps; r++) {
		__m128 v = _mm_set1_ps((float)(r & 255));
		for (int i = 0; i < ELEMENTS; i += 4) {
			KEEP(v);
			_mm_stream_ps(room + i, v);
		}
		_mm_sfence();
		read_back();
	}
}

int main(void)
{
	const struct arm past_cache = { streaming, NULL, ELEMENTS };
	const struct arm through_cache = { ordinary, NULL, ELEMENTS };
	printf("loss %.4g ratio\n", ratio_of(&past_cache, &through_cache, 300));
	return 0;
}
