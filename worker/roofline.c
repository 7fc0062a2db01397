#include "worker/roofline.h"

/*
 * Reading: sums over a buffer far larger than a core's caches, piece by piece, best piece: a piece
 * takes 0.1 to 0.3 ms and is seldom interrupted even on a busy machine, where every whole pass is.
 * Arithmetic: ten independent multiply-add chains in the widest vectors the CPU has, enough to hide
 * the latency of two FMA pipes. Best-of is right for a ceiling (and only for a ceiling).
 */

#include <immintrin.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/clock.h"
#include "base/mem.h"

enum { READ_BYTES = 64 << 20, PIECE_BYTES = 2 << 20, CHAINS = 10, FLOP_STEPS = 20000 };

/* Four streams a quarter apart: one alone leaves the memory channels half idle. */
static void read_all(const __m128i *lines, size_t nr)
{
	const size_t quarter = nr / 4;
	__m128i sum[4] = { _mm_setzero_si128(), _mm_setzero_si128(), _mm_setzero_si128(),
			   _mm_setzero_si128() };
	for (size_t i = 0; i + 4 <= quarter; i += 4)
		for (size_t k = 0; k < 4; k++)
			for (size_t j = 0; j < 4; j++)
				sum[j] = _mm_add_epi64(sum[j], lines[k * quarter + i + j]);
	__asm__ volatile("" : : "x"(sum[0]), "x"(sum[1]), "x"(sum[2]), "x"(sum[3]));
}

static void measure_read(struct roofline *r, uint64_t budget_ns)
{
	__m128i *lines = mmap(NULL, READ_BYTES, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (lines == MAP_FAILED)
		return;
	madvise(lines, READ_BYTES, MADV_HUGEPAGE);
	const size_t step = PIECE_BYTES / sizeof(*lines);
	uint64_t begin = clock_mono_ns();
	for (size_t at = 0; clock_mono_ns() - begin < budget_ns;
	     at = (at + step) % (READ_BYTES / sizeof(*lines))) {
		uint64_t from = clock_mono_ns();
		read_all(lines + at, step);
		double rate = PIECE_BYTES / ((double)(clock_mono_ns() - from) / 1e9);
		if (rate > r->read_bytes_per_s)
			r->read_bytes_per_s = rate;
	}
	munmap(lines, READ_BYTES);
}

/* One body per vector width: the compiler may only use what the function's target allows. Written
 * out, because a loop over the chains that is not unrolled would run from the stack. */
#define FLOP_CHAIN(k, fma) acc##k = fma(acc##k, factor, term);
#define FLOP_BODY(type, set1, fma)                                                                 \
	type acc0 = set1(0), acc1 = set1(1), acc2 = set1(2), acc3 = set1(3), acc4 = set1(4),       \
	     acc5 = set1(5), acc6 = set1(6), acc7 = set1(7), acc8 = set1(8), acc9 = set1(9);       \
	const type factor = set1(0.9999999f);                                                      \
	const type term = set1(1e-7f);                                                             \
	for (int i = 0; i < FLOP_STEPS; i++) {                                                     \
		FLOP_CHAIN(0, fma)                                                                 \
		FLOP_CHAIN(1, fma)                                                                 \
		FLOP_CHAIN(2, fma)                                                                 \
		FLOP_CHAIN(3, fma)                                                                 \
		FLOP_CHAIN(4, fma)                                                                 \
		FLOP_CHAIN(5, fma)                                                                 \
		FLOP_CHAIN(6, fma)                                                                 \
		FLOP_CHAIN(7, fma)                                                                 \
		FLOP_CHAIN(8, fma)                                                                 \
		FLOP_CHAIN(9, fma)                                                                 \
	}                                                                                          \
	__asm__ volatile(""                                                                        \
			 :                                                                         \
			 : "x"(acc0), "x"(acc1), "x"(acc2), "x"(acc3), "x"(acc4), "x"(acc5),       \
			   "x"(acc6), "x"(acc7), "x"(acc8), "x"(acc9));

#define SSE_FMA(a, b, c) _mm_add_ps(_mm_mul_ps(a, b), c)

__attribute__((target("avx512f"), noinline)) static void flops_avx512(void)
{
	FLOP_BODY(__m512, _mm512_set1_ps, _mm512_fmadd_ps)
}

__attribute__((target("avx2,fma"), noinline)) static void flops_avx2(void)
{
	FLOP_BODY(__m256, _mm256_set1_ps, _mm256_fmadd_ps)
}

__attribute__((noinline)) static void flops_sse2(void)
{
	FLOP_BODY(__m128, _mm_set1_ps, SSE_FMA)
}

struct flop_method {
	const char *name;
	void (*run)(void);
	double lanes;
};

static struct flop_method widest_method(void)
{
	if (__builtin_cpu_supports("avx512f"))
		return (struct flop_method){ "avx512f", flops_avx512, 16 };
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
		return (struct flop_method){ "avx2+fma", flops_avx2, 8 };
	return (struct flop_method){ "sse2", flops_sse2, 4 };
}

static void measure_flops(struct roofline *r, uint64_t budget_ns)
{
	const struct flop_method m = widest_method();
	const double flops = 2.0 * CHAINS * FLOP_STEPS * m.lanes;
	r->f32_method = m.name;
	uint64_t begin = clock_mono_ns();
	do {
		uint64_t from = clock_mono_ns();
		m.run();
		double rate = flops / ((double)(clock_mono_ns() - from) / 1e9);
		if (rate > r->f32_flops_per_s)
			r->f32_flops_per_s = rate;
	} while (clock_mono_ns() - begin < budget_ns);
}

void roofline_measure(struct roofline *r, uint64_t budget_ns)
{
	measure_read(r, budget_ns / 2);
	measure_flops(r, budget_ns / 2);
}
