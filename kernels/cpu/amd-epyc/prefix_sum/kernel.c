/*
 * forge-build: clang -O3 -march=native -ffast-math -fveclib=libmvec
 * forge-rows: 1
 *   D0.1 build cc=clang flags=-O3,-march=native,-ffast-math,-fveclib=libmvec
 *   D0.1 specialise shapes=all
 *   D0.2 scan loop=L0 lanes=8
 *   D1.1 vectors bits=256
 *   D1.2 stream array=y
 *
 * Written by forge-tuner from the reference, by the rows above.
 */
#include <forge/kernel.h>
#include <stdint.h>

/* What the rows apply to. Nothing calls it: a later search goes on from here. */
static __attribute__((unused))
void prefix_sum_plain(const float *x, float *y, int64_t n)
{
	float sum = 0;
	for (int64_t i = 0; i < n; i++) {
		sum += x[i];
		y[i] = sum;
	}
}

/* What the rows made of it. */
typedef __attribute__((vector_size(32))) float forge_v8f;
typedef __attribute__((vector_size(32), aligned(4), may_alias)) float forge_u8f;

static inline __attribute__((always_inline)) void forge_sums_8f(float *x)
{
	const forge_v8f zero = { 0 };
	forge_v8f a = *(const forge_u8f *)x;
	a += __builtin_shufflevector(zero, a, 0, 8, 9, 10, 11, 12, 13, 14);
	a += __builtin_shufflevector(zero, a, 0, 1, 8, 9, 10, 11, 12, 13);
	a += __builtin_shufflevector(zero, a, 0, 1, 2, 3, 8, 9, 10, 11);
	*(forge_u8f *)x = a;
}

static inline __attribute__((always_inline)) void forge_stream_8f(float *p, forge_v8f x)
{
#if defined(__clang__)
	__builtin_nontemporal_store(x, (forge_v8f *)p);
#elif defined(__AVX__)
	__builtin_ia32_movntps256(p, x);
#else
	*(forge_u8f *)p = x;
#endif
}

/* The size 1048576. */
static __attribute__((noinline)) void prefix_sum_1048576(const float *restrict x, float *restrict y)
{
	x = FORGE_ALIGNED(x);
	y = FORGE_ALIGNED(y);
	float sum = 0;
	for (int64_t i_block = 0; i_block < 1048576; i_block += 8) {
		forge_v8f sum_steps_0 = *(const forge_u8f *)&x[i_block];
		float sum_steps[8];
		*(forge_u8f *)&sum_steps[0] = sum_steps_0;
		forge_sums_8f(sum_steps);
		sum_steps_0 = *(const forge_u8f *)&sum_steps[0];
		forge_stream_8f(&y[i_block], sum + sum_steps_0);
		*(forge_u8f *)&sum_steps[0] = sum_steps_0;
		sum += sum_steps[7];
	}
	__builtin_ia32_sfence();
}

/* The size 262144. */
static __attribute__((noinline)) void prefix_sum_262144(const float *restrict x, float *restrict y)
{
	x = FORGE_ALIGNED(x);
	y = FORGE_ALIGNED(y);
	float sum = 0;
	for (int64_t i_block = 0; i_block < 262144; i_block += 8) {
		forge_v8f sum_steps_0 = *(const forge_u8f *)&x[i_block];
		float sum_steps[8];
		*(forge_u8f *)&sum_steps[0] = sum_steps_0;
		forge_sums_8f(sum_steps);
		sum_steps_0 = *(const forge_u8f *)&sum_steps[0];
		forge_stream_8f(&y[i_block], sum + sum_steps_0);
		*(forge_u8f *)&sum_steps[0] = sum_steps_0;
		sum += sum_steps[7];
	}
	__builtin_ia32_sfence();
}

/* The size odd. */
static __attribute__((noinline)) void prefix_sum_odd(const float *restrict x, float *restrict y)
{
	x = FORGE_ALIGNED(x);
	y = FORGE_ALIGNED(y);
	const int64_t n = 1000003;
	float sum = 0;
	for (int64_t i_block = 0; i_block < 1000000; i_block += 8) {
		forge_v8f sum_steps_0 = *(const forge_u8f *)&x[i_block];
		float sum_steps[8];
		*(forge_u8f *)&sum_steps[0] = sum_steps_0;
		forge_sums_8f(sum_steps);
		sum_steps_0 = *(const forge_u8f *)&sum_steps[0];
		forge_stream_8f(&y[i_block], sum + sum_steps_0);
		*(forge_u8f *)&sum_steps[0] = sum_steps_0;
		sum += sum_steps[7];
	}
	__builtin_ia32_sfence();
	for (int64_t i = 1000000; i < n; i++) {
		sum += x[i];
		y[i] = sum;
	}
}

static __attribute__((noinline)) void prefix_sum_any(const float *restrict x, float *restrict y,
		int64_t n)
{
	x = FORGE_ALIGNED(x);
	y = FORGE_ALIGNED(y);
	float sum = 0;
	for (int64_t i_block = 0; i_block < n / 8 * 8; i_block += 8) {
		forge_v8f sum_steps_0 = *(const forge_u8f *)&x[i_block];
		float sum_steps[8];
		*(forge_u8f *)&sum_steps[0] = sum_steps_0;
		forge_sums_8f(sum_steps);
		sum_steps_0 = *(const forge_u8f *)&sum_steps[0];
		forge_stream_8f(&y[i_block], sum + sum_steps_0);
		*(forge_u8f *)&sum_steps[0] = sum_steps_0;
		sum += sum_steps[7];
	}
	__builtin_ia32_sfence();
	for (int64_t i = n / 8 * 8; i < n; i++) {
		sum += x[i];
		y[i] = sum;
	}
}

void prefix_sum(const float *x, float *y, int64_t n)
{
	if (n == 1048576)
		prefix_sum_1048576(x, y);
	else if (n == 262144)
		prefix_sum_262144(x, y);
	else if (n == 1000003)
		prefix_sum_odd(x, y);
	else
		prefix_sum_any(x, y, n);
}

/* The rest of the source. */
