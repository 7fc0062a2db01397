/* Adds 1024 numbers from the first level of cache into memory at each step, and into a register. */
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

enum { ELEMENTS = 1024 };
static float numbers[ELEMENTS];

static void in_memory(void *state, long reps)
{
	volatile float *sum = state;
	for (long r = 0; r < reps; r++)
		for (int i = 0; i < ELEMENTS; i++)
			*sum += ((const volatile float *)numbers)[i];
}

static void in_register(void *state, long reps)
{
	volatile float *sum = state;
	float s = *sum;
	for (long r = 0; r < reps; r++)
		for (int i = 0; i < ELEMENTS; i++) {
			s += ((const volatile float *)numbers)[i];
			__asm__ volatile("" : "+x"(s));
		}
	*sum = s;
}

/* What the register makes possible: eight sums of eight lanes, added up behind the loop. */
__attribute__((target("avx"))) static void in_vectors(void *state, long reps)
{
	volatile float *sum = state;
	__m256 s[4];
	for (int k = 0; k < 4; k++)
		s[k] = _mm256_set1_ps(*sum);
	for (long r = 0; r < reps; r++)
		for (int i = 0; i < ELEMENTS; i += 32) {
			s[0] = _mm256_add_ps(s[0], _mm256_loadu_ps(numbers + i));
			s[1] = _mm256_add_ps(s[1], _mm256_loadu_ps(numbers + i + 8));
			s[2] = _mm256_add_ps(s[2], _mm256_loadu_ps(numbers + i + 16));
			s[3] = _mm256_add_ps(s[3], _mm256_loadu_ps(numbers + i + 24));
			__asm__ volatile("" : "+x"(s[0]), "+x"(s[1]), "+x"(s[2]), "+x"(s[3]));
		}
	const __m256 all = _mm256_add_ps(_mm256_add_ps(s[0], s[1]), _mm256_add_ps(s[2], s[3]));
	*sum = _mm256_cvtss_f32(all);
}

int main(void)
{
	volatile float sum = 0;
	void *place = (void *)(size_t)&sum;
	const struct arm memory = { in_memory, place, ELEMENTS };
	const struct arm in_one = { in_register, place, ELEMENTS };
	const struct arm in_many = { in_vectors, place, ELEMENTS };
	printf("memory_over_register %.4g ratio\n", ratio_of(&memory, &in_one, 200));
	if (__builtin_cpu_supports("avx"))
		printf("memory_over_vectors %.4g ratio\n", ratio_of(&memory, &in_many, 200));
	return 0;
}
