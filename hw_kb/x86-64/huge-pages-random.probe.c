/* A chain of loads, one line in each 4 KiB of 64 MiB in random order, on small and on huge pages;
 * and the same memory read in order. */
#include <immintrin.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>

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

enum { PAGE = 4096, PAGES = 16384, RING = 4 * PAGES, HUGE_PAGE = 2 << 20 };
static const size_t bytes = (size_t)PAGES * PAGE;

static long faults(void)
{
	struct rusage u;
	getrusage(RUSAGE_SELF, &u);
	return u.ru_minflt;
}

/* Touched memory with that advice, at a multiple of 2 MiB; *cost is the number of page faults. */
static char *touched(int advice, long *cost)
{
	char *p = mmap(NULL, bytes + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		       -1, 0);
	needs(p != MAP_FAILED, "more memory");
	p += (HUGE_PAGE - (uintptr_t)p % HUGE_PAGE) % HUGE_PAGE;
	needs(madvise(p, bytes, advice) == 0, "advice on huge pages");
	const long before = faults();
	for (size_t i = 0; i < bytes; i += PAGE)
		((volatile char *)p)[i] = 1;
	*cost = faults() - before;
	return p;
}

/* Where in the memory the line of that page lies: spread over all sets of the caches. */
static size_t place(uint32_t page)
{
	return (size_t)page * PAGE + (page * 2654435761u >> 26) * 64;
}

/* One line of each page points to one of another page: a single ring through all of them. */
static void link_pages(char *p)
{
	static uint32_t order[PAGES];
	uint64_t seed = 88172645463325252u;
	for (uint32_t i = 0; i < PAGES; i++)
		order[i] = i;
	for (uint32_t i = PAGES - 1; i > 0; i--) {
		seed ^= seed << 13;
		seed ^= seed >> 7;
		seed ^= seed << 17;
		const uint32_t k = (uint32_t)(seed % i);
		const uint32_t kept = order[i];
		order[i] = order[k];
		order[k] = kept;
	}
	for (uint32_t i = 0; i < PAGES; i++)
		*(size_t *)(void *)(p + place(i)) = place(order[i]);
}

static void chase(void *state, long reps)
{
	const char *p = state;
	size_t at = place(0);
	for (long i = 0; i < reps * RING; i++)
		at = *(const volatile size_t *)(const volatile void *)(p + at);
	__asm__ volatile("" : "+r"(at));
}

static void in_order(void *state, long reps)
{
	const char *p = state;
	__m128i sum = _mm_setzero_si128();
	for (long r = 0; r < reps; r++)
		for (size_t i = 0; i < bytes; i += 16) {
			__m128i v = _mm_load_si128((const __m128i *)(const void *)(p + i));
			KEEP(v);
			sum = _mm_or_si128(sum, v);
		}
	KEEP(sum);
}

int main(void)
{
	long small_cost = 0;
	long huge_cost = 0;
	char *small = touched(MADV_NOHUGEPAGE, &small_cost);
	char *huge = touched(MADV_HUGEPAGE, &huge_cost);
	needs(huge_cost < PAGES / 4, "huge pages on advice");
	link_pages(small);
	link_pages(huge);
	const struct arm random_small = { chase, small, RING };
	const struct arm random_huge = { chase, huge, RING };
	const struct arm order_small = { in_order, small, 1 };
	const struct arm order_huge = { in_order, huge, 1 };
	printf("random_gain %.4g ratio\n", ratio_of(&random_small, &random_huge, 300));
	printf("in_order_gain %.4g ratio\n", ratio_of(&order_small, &order_huge, 300));
	printf("small_faults %ld count\n", small_cost);
	printf("huge_faults %ld count\n", huge_cost);
	return 0;
}
