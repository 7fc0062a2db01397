/* Reads 64 MiB, and 256 KiB again and again, in order: without prefetch instructions, with one for
 * each line 512 bytes ahead, and 8 KiB ahead. */
#include <immintrin.h>
#include <sys/mman.h>

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

/* ---- mapped: the same text in every probe that has it ---- */
static void *mapped(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	needs(p != MAP_FAILED, "more memory");
	return p;
}
/* ---- */

#define KEEP(v) __asm__ volatile("" : "+x"(v))

struct stream {
	const float *from;
	size_t elements;
	size_t ahead; /* in elements; 0: no prefetch */
};

static void read_in_order(void *state, long reps)
{
	const struct stream s = *(const struct stream *)state;
	__m128 sum = _mm_setzero_ps();
	for (long r = 0; r < reps; r++)
		for (size_t i = 0; i < s.elements; i += 16)
			for (size_t k = 0; k < 16; k += 4) {
				__m128 v = _mm_load_ps(s.from + i + k);
				KEEP(v);
				sum = _mm_or_ps(sum, v);
			}
	KEEP(sum);
}

static void read_prefetched(void *state, long reps)
{
	const struct stream s = *(const struct stream *)state;
	__m128 sum = _mm_setzero_ps();
	for (long r = 0; r < reps; r++)
		for (size_t i = 0; i < s.elements; i += 16) {
			_mm_prefetch((const char *)(s.from + i + s.ahead), _MM_HINT_T0);
			for (size_t k = 0; k < 16; k += 4) {
				__m128 v = _mm_load_ps(s.from + i + k);
				KEEP(v);
				sum = _mm_or_ps(sum, v);
			}
		}
	KEEP(sum);
}

int main(void)
{
	const size_t large = (size_t)64 << 18; /* 64 MiB of float */
	const size_t small = (size_t)256 << 8; /* 256 KiB of float */
	const size_t near = 128;
	const size_t far = 2048;
	const float *from = mapped((large + far) * sizeof *from);
	struct stream plain = { from, large, 0 };
	struct stream close_by = { from, large, near };
	struct stream far_off = { from, large, far };
	struct stream cached = { from, small, 0 };
	struct stream cached_close_by = { from, small, near };
	const struct arm without = { read_in_order, &plain, 1 };
	const struct arm with_near = { read_prefetched, &close_by, 1 };
	const struct arm with_far = { read_prefetched, &far_off, 1 };
	const struct arm in_cache = { read_in_order, &cached, 1 };
	const struct arm in_cache_near = { read_prefetched, &cached_close_by, 1 };
	printf("gain_near %.4g ratio\n", ratio_of(&without, &with_near, 400));
	printf("gain_cached %.4g ratio\n", ratio_of(&in_cache, &in_cache_near, 200));
	printf("gain_far %.4g ratio\n", ratio_of(&without, &with_far, 300));
	return 0;
}
