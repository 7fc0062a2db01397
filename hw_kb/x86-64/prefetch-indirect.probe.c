/* Fetches lines of 128 MiB through an array of positions and works on each for some hundred
 * instructions: without prefetch, one element ahead, eight ahead. */
#include <immintrin.h>
#include <stdint.h>
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

#define KEEP(v) __asm__ volatile("" : "+r"(v))

enum { STRIDE = 16 }; /* 32-bit elements of a line */
static const uint32_t lines = 1u << 21;
static const long batch = 64;

struct walk {
	const uint32_t *data;
	const uint32_t *place;
	long at;
};

static inline uint64_t mixed(uint64_t v)
{
	v = (v ^ v >> 29) * 0x9e3779b97f4a7c15u;
	KEEP(v);
	return v;
}

/* Four mixings side by side: enough instructions that the core does not see the next element's load
 * before it has finished this one. */
static uint64_t worked(uint64_t v)
{
	uint64_t a = v;
	uint64_t b = v + 1;
	uint64_t c = v + 2;
	uint64_t d = v + 3;
	for (int k = 0; k < 24; k++) {
		a = mixed(a);
		b = mixed(b);
		c = mixed(c);
		d = mixed(d);
	}
	return a ^ b ^ c ^ d;
}

__attribute__((always_inline)) static inline void walk(struct walk *w, long reps, int distance)
{
	uint64_t sum = 0;
	for (long r = 0; r < reps; r++) {
		for (long i = w->at; i < w->at + batch; i++) {
			if (distance)
				_mm_prefetch(
					(const char *)(w->data +
						       (size_t)w->place[i + distance] * STRIDE),
					_MM_HINT_T0);
			sum += worked(w->data[(size_t)w->place[i] * STRIDE]);
		}
		w->at = (w->at + batch) & (long)(lines - 1);
	}
	KEEP(sum);
}

static void plain(void *state, long reps)
{
	walk(state, reps, 0);
}

static void one_ahead(void *state, long reps)
{
	walk(state, reps, 1);
}

static void eight_ahead(void *state, long reps)
{
	walk(state, reps, 8);
}

static void shuffle(uint32_t *place)
{
	uint64_t seed = 88172645463325252u;
	for (uint32_t i = 0; i < lines; i++)
		place[i] = i;
	for (uint32_t i = lines - 1; i > 0; i--) {
		seed ^= seed << 13;
		seed ^= seed >> 7;
		seed ^= seed << 17;
		const uint32_t k = (uint32_t)(seed % (i + 1));
		const uint32_t kept = place[i];
		place[i] = place[k];
		place[k] = kept;
	}
}

int main(void)
{
	uint32_t *data = mapped((size_t)lines * STRIDE * sizeof *data);
	uint32_t *place = mapped(((size_t)lines + 8) * sizeof *place);
	shuffle(place);
	struct walk w = { data, place, 0 };
	const struct arm without = { plain, &w, (double)batch };
	const struct arm near = { one_ahead, &w, (double)batch };
	const struct arm far = { eight_ahead, &w, (double)batch };
	printf("gain_8_ahead %.4g ratio\n", ratio_of(&without, &far, 300));
	printf("gain_1_ahead %.4g ratio\n", ratio_of(&without, &near, 300));
	return 0;
}
