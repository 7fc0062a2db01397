/* Rows of 31 numbers: three vectors and seven single elements, against four vectors of which the
 * last overlaps the third. */
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

enum { LENGTH = 31, ROWS = 64 };
static float from[ROWS * LENGTH] __attribute__((aligned(64)));
static float to[ROWS * LENGTH] __attribute__((aligned(64)));

__attribute__((target("avx"))) static void eight(float *out, const float *in, __m256 factor)
{
	_mm256_storeu_ps(out, _mm256_mul_ps(_mm256_loadu_ps(in), factor));
}

__attribute__((target("avx"))) static void single_tail(void *state, long reps)
{
	const float scale = *(const float *)state;
	const __m256 factor = _mm256_set1_ps(scale);
	for (long r = 0; r < reps; r++) {
		for (int row = 0; row < ROWS; row++) {
			const float *in = from + row * LENGTH;
			float *out = to + row * LENGTH;
			int i = 0;
			for (; i + 8 <= LENGTH; i += 8)
				eight(out + i, in + i, factor);
			for (; i < LENGTH; i++) {
				float v = in[i] * scale;
				__asm__ volatile("" : "+x"(v)); /* stays scalar */
				out[i] = v;
			}
		}
		__asm__ volatile("" ::: "memory");
	}
}

__attribute__((target("avx"))) static void overlapping_tail(void *state, long reps)
{
	const __m256 factor = _mm256_set1_ps(*(const float *)state);
	for (long r = 0; r < reps; r++) {
		for (int row = 0; row < ROWS; row++) {
			const float *in = from + row * LENGTH;
			float *out = to + row * LENGTH;
			for (int i = 0; i + 8 <= LENGTH; i += 8)
				eight(out + i, in + i, factor);
			eight(out + LENGTH - 8, in + LENGTH - 8, factor);
		}
		__asm__ volatile("" ::: "memory");
	}
}

int main(void)
{
	needs(__builtin_cpu_supports("avx"), "AVX");
	float scale = 0.5f;
	for (int i = 0; i < ROWS * LENGTH; i++)
		from[i] = (float)i;
	const struct arm single = { single_tail, &scale, ROWS };
	const struct arm overlapping = { overlapping_tail, &scale, ROWS };
	printf("gain %.4g ratio\n", ratio_of(&single, &overlapping, 300));
	return 0;
}
