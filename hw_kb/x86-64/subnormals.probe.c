/* Multiplications whose results are subnormal, against ones with ordinary results; the same with
 * operands below a threshold replaced by zero first. */
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

static void multiply(void *state, long reps)
{
	const __m128 tenth = _mm_set1_ps(0.1f);
	const __m128 v = _mm_set1_ps(*(const float *)state);
	for (long i = 0; i < reps; i++) {
		__m128 a = v;
		__m128 b = v;
		KEEP(a);
		KEEP(b);
		a = _mm_mul_ps(a, tenth);
		b = _mm_mul_ps(b, tenth);
		KEEP(a);
		KEEP(b);
	}
}

static void add(void *state, long reps)
{
	const __m128 v = _mm_set1_ps(*(const float *)state);
	for (long i = 0; i < reps; i++) {
		__m128 a = v;
		__m128 b = v;
		KEEP(a);
		KEEP(b);
		a = _mm_add_ps(a, v);
		b = _mm_add_ps(b, v);
		KEEP(a);
		KEEP(b);
	}
}

static __m128 without_tiny(__m128 v, __m128 sign, __m128 least)
{
	return _mm_and_ps(v, _mm_cmpge_ps(_mm_andnot_ps(sign, v), least));
}

static void multiply_guarded(void *state, long reps)
{
	const __m128 tenth = _mm_set1_ps(0.1f);
	const __m128 sign = _mm_set1_ps(-0.0f);
	const __m128 least = _mm_set1_ps(1e-36f);
	const __m128 v = _mm_set1_ps(*(const float *)state);
	for (long i = 0; i < reps; i++) {
		__m128 a = v;
		__m128 b = v;
		KEEP(a);
		KEEP(b);
		a = _mm_mul_ps(without_tiny(a, sign, least), tenth);
		b = _mm_mul_ps(without_tiny(b, sign, least), tenth);
		KEEP(a);
		KEEP(b);
	}
}

int main(void)
{
	needs(__builtin_cpu_is("intel"), "a core of Intel");
	float tiny = 2e-38f; /* a tenth of it is below the least normal number */
	float ordinary = 2.0f;
	const struct arm slow = { multiply, &tiny, 2 };
	const struct arm fast = { multiply, &ordinary, 2 };
	const struct arm guarded = { multiply_guarded, &tiny, 2 };
	printf("loss %.4g ratio\n", ratio_of(&slow, &fast, 200));
	float subnormal = 2e-39f;
	const struct arm tiny_sum = { add, &subnormal, 2 };
	const struct arm ordinary_sum = { add, &ordinary, 2 };
	printf("addition_loss %.4g ratio\n", ratio_of(&tiny_sum, &ordinary_sum, 100));
	printf("guarded_gain %.4g ratio\n", ratio_of(&slow, &guarded, 200));
	return 0;
}
