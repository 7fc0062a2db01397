/*
 * forge-build: gcc -O3 -march=native -ffast-math -fopenmp-simd
 * forge-rows: 1
 *   D0.1 build cc=gcc flags=-O3,-march=native,-ffast-math
 *   D0.1 specialise shapes=all
 *   D0.2 sink loop=L0 u=8 as=lanes
 *   D0.2 pack array=f loop=L0
 *   D0.2 sink loop=L0.0.0 u=6 as=registers
 *   D0.3 threads loop=L0 n=2 layout=dynamic
 *   D1.1 vectors bits=256
 *
 * Written by forge-tuner from the reference, by the rows above.
 */
#include <forge/kernel.h>
#include <stdint.h>

/* What the rows apply to. Nothing calls it: a later search goes on from here. */
static __attribute__((unused))
void conv2d_plain(const float *x, const float *f, float *y, int64_t cin, int64_t h, int64_t w, int64_t cout,
	    int64_t kh, int64_t kw)
{
	int64_t oh = h - kh + 1;
	int64_t ow = w - kw + 1;
	for (int64_t o = 0; o < cout; o++) {
		for (int64_t i = 0; i < oh; i++) {
			for (int64_t j = 0; j < ow; j++) {
				float sum = 0;
				for (int64_t c = 0; c < cin; c++)
					for (int64_t a = 0; a < kh; a++)
						for (int64_t b = 0; b < kw; b++)
							sum += x[(c * h + i + a) * w + j + b] *
							       f[((o * cin + c) * kh + a) * kw + b];
				y[(o * oh + i) * ow + j] = sum;
			}
		}
	}
}

/* What the rows made of it. */
typedef __attribute__((vector_size(32))) float forge_v8f;
typedef __attribute__((vector_size(32), aligned(4), may_alias)) float forge_u8f;

static inline __attribute__((always_inline)) forge_v8f forge_all_8f(float x)
{
	return (forge_v8f){ x, x, x, x, x, x, x, x };
}

void GOMP_parallel(void (*)(void *), void *, unsigned, unsigned);
int omp_get_thread_num(void);
int omp_get_num_threads(void);

static __attribute__((noinline)) void conv2d_c32_30x30_k3_part1(const float *restrict x,
		const float *restrict f, float *restrict y, int64_t first, int64_t last)
{
	x = FORGE_ALIGNED(x);
	f = FORGE_ALIGNED(f);
	y = FORGE_ALIGNED(y);
	const int64_t cin = 32;
	const int64_t h = 30;
	const int64_t w = 30;
	const int64_t cout = 32;
	const int64_t kh = 3;
	const int64_t kw = 3;
	const int64_t oh = 28;
	const int64_t ow = 28;
	for (int64_t o = first; o < last; o += 8) {
		_Alignas(64) float f_packed[2304];
		for (int64_t cp = 0; cp < 18; cp++)
			for (int64_t cps = 0; cps < 16; cps++)
				for (int64_t o_sp = 0; o_sp < 8; o_sp++)
					f_packed[cp * 128 + cps * 8 + o_sp] = f[o * 288 + cp * 16 + cps + o_sp * 288];
		for (int64_t i = 0; i < oh; i++) {
			for (int64_t j = 0; j < 24; j += 6) {
				forge_v8f sum_0_0 = forge_all_8f(0.0f);
				forge_v8f sum_1_0 = forge_all_8f(0.0f);
				forge_v8f sum_2_0 = forge_all_8f(0.0f);
				forge_v8f sum_3_0 = forge_all_8f(0.0f);
				forge_v8f sum_4_0 = forge_all_8f(0.0f);
				forge_v8f sum_5_0 = forge_all_8f(0.0f);
				float sum[6][8];
				for (int64_t c = 0; c < cin; c++) {
					for (int64_t a = 0; a < kh; a++) {
						for (int64_t b = 0; b < kw; b++) {
							sum_0_0 += x[(c * h + i + a) * w + j + b] * *(const forge_u8f *)&f_packed[c * 72 + a * 24 + b * 8];
							sum_1_0 += x[(c * h + i + a) * w + (j + 1) + b] * *(const forge_u8f *)&f_packed[c * 72 + a * 24 + b * 8];
							sum_2_0 += x[(c * h + i + a) * w + (j + 2) + b] * *(const forge_u8f *)&f_packed[c * 72 + a * 24 + b * 8];
							sum_3_0 += x[(c * h + i + a) * w + (j + 3) + b] * *(const forge_u8f *)&f_packed[c * 72 + a * 24 + b * 8];
							sum_4_0 += x[(c * h + i + a) * w + (j + 4) + b] * *(const forge_u8f *)&f_packed[c * 72 + a * 24 + b * 8];
							sum_5_0 += x[(c * h + i + a) * w + (j + 5) + b] * *(const forge_u8f *)&f_packed[c * 72 + a * 24 + b * 8];
						}
					}
				}
				*(forge_u8f *)&sum[0][0] = sum_0_0;
				*(forge_u8f *)&sum[1][0] = sum_1_0;
				*(forge_u8f *)&sum[2][0] = sum_2_0;
				*(forge_u8f *)&sum[3][0] = sum_3_0;
				*(forge_u8f *)&sum[4][0] = sum_4_0;
				*(forge_u8f *)&sum[5][0] = sum_5_0;
#pragma omp simd
				for (int64_t o_s = 0; o_s < 8; o_s++) {
					y[((o + o_s) * oh + i) * ow + j] = sum[0][o_s];
				}
				*(forge_u8f *)&sum[0][0] = sum_0_0;
				*(forge_u8f *)&sum[1][0] = sum_1_0;
				*(forge_u8f *)&sum[2][0] = sum_2_0;
				*(forge_u8f *)&sum[3][0] = sum_3_0;
				*(forge_u8f *)&sum[4][0] = sum_4_0;
				*(forge_u8f *)&sum[5][0] = sum_5_0;
#pragma omp simd
				for (int64_t o_s = 0; o_s < 8; o_s++) {
					y[((o + o_s) * oh + i) * ow + (j + 1)] = sum[1][o_s];
				}
				*(forge_u8f *)&sum[0][0] = sum_0_0;
				*(forge_u8f *)&sum[1][0] = sum_1_0;
				*(forge_u8f *)&sum[2][0] = sum_2_0;
				*(forge_u8f *)&sum[3][0] = sum_3_0;
				*(forge_u8f *)&sum[4][0] = sum_4_0;
				*(forge_u8f *)&sum[5][0] = sum_5_0;
#pragma omp simd
				for (int64_t o_s = 0; o_s < 8; o_s++) {
					y[((o + o_s) * oh + i) * ow + (j + 2)] = sum[2][o_s];
				}
				*(forge_u8f *)&sum[0][0] = sum_0_0;
				*(forge_u8f *)&sum[1][0] = sum_1_0;
				*(forge_u8f *)&sum[2][0] = sum_2_0;
				*(forge_u8f *)&sum[3][0] = sum_3_0;
				*(forge_u8f *)&sum[4][0] = sum_4_0;
				*(forge_u8f *)&sum[5][0] = sum_5_0;
#pragma omp simd
				for (int64_t o_s = 0; o_s < 8; o_s++) {
					y[((o + o_s) * oh + i) * ow + (j + 3)] = sum[3][o_s];
				}
				*(forge_u8f *)&sum[0][0] = sum_0_0;
				*(forge_u8f *)&sum[1][0] = sum_1_0;
				*(forge_u8f *)&sum[2][0] = sum_2_0;
				*(forge_u8f *)&sum[3][0] = sum_3_0;
				*(forge_u8f *)&sum[4][0] = sum_4_0;
				*(forge_u8f *)&sum[5][0] = sum_5_0;
#pragma omp simd
				for (int64_t o_s = 0; o_s < 8; o_s++) {
					y[((o + o_s) * oh + i) * ow + (j + 4)] = sum[4][o_s];
				}
				*(forge_u8f *)&sum[0][0] = sum_0_0;
				*(forge_u8f *)&sum[1][0] = sum_1_0;
				*(forge_u8f *)&sum[2][0] = sum_2_0;
				*(forge_u8f *)&sum[3][0] = sum_3_0;
				*(forge_u8f *)&sum[4][0] = sum_4_0;
				*(forge_u8f *)&sum[5][0] = sum_5_0;
#pragma omp simd
				for (int64_t o_s = 0; o_s < 8; o_s++) {
					y[((o + o_s) * oh + i) * ow + (j + 5)] = sum[5][o_s];
				}
			}
			for (int64_t j = 24; j < ow; j++) {
				forge_v8f sum_0 = forge_all_8f(0.0f);
				float sum[8];
				for (int64_t c = 0; c < cin; c++) {
					for (int64_t a = 0; a < kh; a++) {
						for (int64_t b = 0; b < kw; b++) {
							sum_0 += x[(c * h + i + a) * w + j + b] * *(const forge_u8f *)&f_packed[c * 72 + a * 24 + b * 8];
						}
					}
				}
				*(forge_u8f *)&sum[0] = sum_0;
#pragma omp simd
				for (int64_t o_s = 0; o_s < 8; o_s++) {
					y[((o + o_s) * oh + i) * ow + j] = sum[o_s];
				}
			}
		}
	}
}

struct conv2d_c32_30x30_k3_share1 {
	const float *x;
	const float *f;
	float *y;
	int64_t first;
	int64_t count;
	_Alignas(64) int64_t next;
};

static void conv2d_c32_30x30_k3_team1(void *data)
{
	struct conv2d_c32_30x30_k3_share1 *share = data;
	int64_t chunk;
	while ((chunk = __atomic_fetch_add(&share->next, 1, __ATOMIC_RELAXED)) < 32)
		conv2d_c32_30x30_k3_part1(share->x, share->f, share->y, share->first +
				share->count * chunk / 32 * 8, share->first + share->count *
				(chunk + 1) / 32 * 8);
}

/* The size c32-30x30-k3. */
static __attribute__((noinline)) void conv2d_c32_30x30_k3(const float *restrict x,
		const float *restrict f, float *restrict y)
{
	x = FORGE_ALIGNED(x);
	f = FORGE_ALIGNED(f);
	y = FORGE_ALIGNED(y);
	const int64_t cin = 32;
	const int64_t h = 30;
	const int64_t w = 30;
	const int64_t cout = 32;
	const int64_t kh = 3;
	const int64_t kw = 3;
	int64_t oh = h - kh + 1;
	int64_t ow = w - kw + 1;
	{
		const int64_t first = 0;
		const int64_t count = (cout - first + 7) / 8;
		struct conv2d_c32_30x30_k3_share1 share = { .x = x, .f = f, .y = y, .first = first,
				.count = count };
		GOMP_parallel(conv2d_c32_30x30_k3_team1, &share, 2, 0);
	}
}

static __attribute__((noinline)) void conv2d_c8_36x36_k5_part1(const float *restrict x,
		const float *restrict f, float *restrict y, int64_t first, int64_t last)
{
	x = FORGE_ALIGNED(x);
	f = FORGE_ALIGNED(f);
	y = FORGE_ALIGNED(y);
	const int64_t cin = 8;
	const int64_t h = 36;
	const int64_t w = 36;
	const int64_t cout = 16;
	const int64_t kh = 5;
	const int64_t kw = 5;
	const int64_t oh = 32;
	const int64_t ow = 32;
	for (int64_t o = first; o < last; o += 8) {
		_Alignas(64) float f_packed[1600];
		for (int64_t cp = 0; cp < 25; cp++)
			for (int64_t cps = 0; cps < 8; cps++)
				for (int64_t o_sp = 0; o_sp < 8; o_sp++)
					f_packed[cp * 64 + cps * 8 + o_sp] = f[o * 200 + cp * 8 + cps + o_sp * 200];
		for (int64_t i = 0; i < oh; i++) {
			for (int64_t j = 0; j < 30; j += 6) {
				forge_v8f sum_0_0 = forge_all_8f(0.0f);
				forge_v8f sum_1_0 = forge_all_8f(0.0f);
				forge_v8f sum_2_0 = forge_all_8f(0.0f);
				forge_v8f sum_3_0 = forge_all_8f(0.0f);
				forge_v8f sum_4_0 = forge_all_8f(0.0f);
				forge_v8f sum_5_0 = forge_all_8f(0.0f);
				float sum[6][8];
				for (int64_t c = 0; c < cin; c++) {
					for (int64_t a = 0; a < kh; a++) {
						for (int64_t b = 0; b < kw; b++) {
							sum_0_0 += x[(c * h + i + a) * w + j + b] * *(const forge_u8f *)&f_packed[c * 200 + a * 40 + b * 8];
							sum_1_0 += x[(c * h + i + a) * w + (j + 1) + b] * *(const forge_u8f *)&f_packed[c * 200 + a * 40 + b * 8];
							sum_2_0 += x[(c * h + i + a) * w + (j + 2) + b] * *(const forge_u8f *)&f_packed[c * 200 + a * 40 + b * 8];
							sum_3_0 += x[(c * h + i + a) * w + (j + 3) + b] * *(const forge_u8f *)&f_packed[c * 200 + a * 40 + b * 8];
							sum_4_0 += x[(c * h + i + a) * w + (j + 4) + b] * *(const forge_u8f *)&f_packed[c * 200 + a * 40 + b * 8];
							sum_5_0 += x[(c * h + i + a) * w + (j + 5) + b] * *(const forge_u8f *)&f_packed[c * 200 + a * 40 + b * 8];
						}
					}
				}
				*(forge_u8f *)&sum[0][0] = sum_0_0;
				*(forge_u8f *)&sum[1][0] = sum_1_0;
				*(forge_u8f *)&sum[2][0] = sum_2_0;
				*(forge_u8f *)&sum[3][0] = sum_3_0;
				*(forge_u8f *)&sum[4][0] = sum_4_0;
				*(forge_u8f *)&sum[5][0] = sum_5_0;
#pragma omp simd
				for (int64_t o_s = 0; o_s < 8; o_s++) {
					y[((o + o_s) * oh + i) * ow + j] = sum[0][o_s];
				}
				*(forge_u8f *)&sum[0][0] = sum_0_0;
				*(forge_u8f *)&sum[1][0] = sum_1_0;
				*(forge_u8f *)&sum[2][0] = sum_2_0;
				*(forge_u8f *)&sum[3][0] = sum_3_0;
				*(forge_u8f *)&sum[4][0] = sum_4_0;
				*(forge_u8f *)&sum[5][0] = sum_5_0;
#pragma omp simd
				for (int64_t o_s = 0; o_s < 8; o_s++) {
					y[((o + o_s) * oh + i) * ow + (j + 1)] = sum[1][o_s];
				}
				*(forge_u8f *)&sum[0][0] = sum_0_0;
				*(forge_u8f *)&sum[1][0] = sum_1_0;
				*(forge_u8f *)&sum[2][0] = sum_2_0;
				*(forge_u8f *)&sum[3][0] = sum_3_0;
				*(forge_u8f *)&sum[4][0] = sum_4_0;
				*(forge_u8f *)&sum[5][0] = sum_5_0;
#pragma omp simd
				for (int64_t o_s = 0; o_s < 8; o_s++) {
					y[((o + o_s) * oh + i) * ow + (j + 2)] = sum[2][o_s];
				}
				*(forge_u8f *)&sum[0][0] = sum_0_0;
				*(forge_u8f *)&sum[1][0] = sum_1_0;
				*(forge_u8f *)&sum[2][0] = sum_2_0;
				*(forge_u8f *)&sum[3][0] = sum_3_0;
				*(forge_u8f *)&sum[4][0] = sum_4_0;
				*(forge_u8f *)&sum[5][0] = sum_5_0;
#pragma omp simd
				for (int64_t o_s = 0; o_s < 8; o_s++) {
					y[((o + o_s) * oh + i) * ow + (j + 3)] = sum[3][o_s];
				}
				*(forge_u8f *)&sum[0][0] = sum_0_0;
				*(forge_u8f *)&sum[1][0] = sum_1_0;
				*(forge_u8f *)&sum[2][0] = sum_2_0;
				*(forge_u8f *)&sum[3][0] = sum_3_0;
				*(forge_u8f *)&sum[4][0] = sum_4_0;
				*(forge_u8f *)&sum[5][0] = sum_5_0;
#pragma omp simd
				for (int64_t o_s = 0; o_s < 8; o_s++) {
					y[((o + o_s) * oh + i) * ow + (j + 4)] = sum[4][o_s];
				}
				*(forge_u8f *)&sum[0][0] = sum_0_0;
				*(forge_u8f *)&sum[1][0] = sum_1_0;
				*(forge_u8f *)&sum[2][0] = sum_2_0;
				*(forge_u8f *)&sum[3][0] = sum_3_0;
				*(forge_u8f *)&sum[4][0] = sum_4_0;
				*(forge_u8f *)&sum[5][0] = sum_5_0;
#pragma omp simd
				for (int64_t o_s = 0; o_s < 8; o_s++) {
					y[((o + o_s) * oh + i) * ow + (j + 5)] = sum[5][o_s];
				}
			}
			for (int64_t j = 30; j < ow; j++) {
				forge_v8f sum_0 = forge_all_8f(0.0f);
				float sum[8];
				for (int64_t c = 0; c < cin; c++) {
					for (int64_t a = 0; a < kh; a++) {
						for (int64_t b = 0; b < kw; b++) {
							sum_0 += x[(c * h + i + a) * w + j + b] * *(const forge_u8f *)&f_packed[c * 200 + a * 40 + b * 8];
						}
					}
				}
				*(forge_u8f *)&sum[0] = sum_0;
#pragma omp simd
				for (int64_t o_s = 0; o_s < 8; o_s++) {
					y[((o + o_s) * oh + i) * ow + j] = sum[o_s];
				}
			}
		}
	}
}

struct conv2d_c8_36x36_k5_share1 {
	const float *x;
	const float *f;
	float *y;
	int64_t first;
	int64_t count;
	_Alignas(64) int64_t next;
};

static void conv2d_c8_36x36_k5_team1(void *data)
{
	struct conv2d_c8_36x36_k5_share1 *share = data;
	int64_t chunk;
	while ((chunk = __atomic_fetch_add(&share->next, 1, __ATOMIC_RELAXED)) < 32)
		conv2d_c8_36x36_k5_part1(share->x, share->f, share->y, share->first + share->count *
				chunk / 32 * 8, share->first + share->count * (chunk + 1) / 32 * 8);
}

/* The size c8-36x36-k5. */
static __attribute__((noinline)) void conv2d_c8_36x36_k5(const float *restrict x,
		const float *restrict f, float *restrict y)
{
	x = FORGE_ALIGNED(x);
	f = FORGE_ALIGNED(f);
	y = FORGE_ALIGNED(y);
	const int64_t cin = 8;
	const int64_t h = 36;
	const int64_t w = 36;
	const int64_t cout = 16;
	const int64_t kh = 5;
	const int64_t kw = 5;
	int64_t oh = h - kh + 1;
	int64_t ow = w - kw + 1;
	{
		const int64_t first = 0;
		const int64_t count = (cout - first + 7) / 8;
		struct conv2d_c8_36x36_k5_share1 share = { .x = x, .f = f, .y = y, .first = first,
				.count = count };
		GOMP_parallel(conv2d_c8_36x36_k5_team1, &share, 2, 0);
	}
}

static __attribute__((noinline)) void conv2d_odd_part1(const float *restrict x,
		const float *restrict f, float *restrict y, int64_t first, int64_t last)
{
	x = FORGE_ALIGNED(x);
	f = FORGE_ALIGNED(f);
	y = FORGE_ALIGNED(y);
	const int64_t cin = 7;
	const int64_t h = 43;
	const int64_t w = 39;
	const int64_t kh = 3;
	const int64_t kw = 3;
	const int64_t oh = 41;
	const int64_t ow = 37;
	for (int64_t o = first; o < last; o += 8) {
		_Alignas(64) float f_packed[504];
		for (int64_t cp = 0; cp < 63; cp++)
			for (int64_t o_sp = 0; o_sp < 8; o_sp++)
				f_packed[cp * 8 + o_sp] = f[o * 63 + cp + o_sp * 63];
		for (int64_t i = 0; i < oh; i++) {
			for (int64_t j = 0; j < 36; j += 6) {
				forge_v8f sum_0_0 = forge_all_8f(0.0f);
				forge_v8f sum_1_0 = forge_all_8f(0.0f);
				forge_v8f sum_2_0 = forge_all_8f(0.0f);
				forge_v8f sum_3_0 = forge_all_8f(0.0f);
				forge_v8f sum_4_0 = forge_all_8f(0.0f);
				forge_v8f sum_5_0 = forge_all_8f(0.0f);
				float sum[6][8];
				for (int64_t c = 0; c < cin; c++) {
					for (int64_t a = 0; a < kh; a++) {
						for (int64_t b = 0; b < kw; b++) {
							sum_0_0 += x[(c * h + i + a) * w + j + b] * *(const forge_u8f *)&f_packed[c * 72 + a * 24 + b * 8];
							sum_1_0 += x[(c * h + i + a) * w + (j + 1) + b] * *(const forge_u8f *)&f_packed[c * 72 + a * 24 + b * 8];
							sum_2_0 += x[(c * h + i + a) * w + (j + 2) + b] * *(const forge_u8f *)&f_packed[c * 72 + a * 24 + b * 8];
							sum_3_0 += x[(c * h + i + a) * w + (j + 3) + b] * *(const forge_u8f *)&f_packed[c * 72 + a * 24 + b * 8];
							sum_4_0 += x[(c * h + i + a) * w + (j + 4) + b] * *(const forge_u8f *)&f_packed[c * 72 + a * 24 + b * 8];
							sum_5_0 += x[(c * h + i + a) * w + (j + 5) + b] * *(const forge_u8f *)&f_packed[c * 72 + a * 24 + b * 8];
						}
					}
				}
				*(forge_u8f *)&sum[0][0] = sum_0_0;
				*(forge_u8f *)&sum[1][0] = sum_1_0;
				*(forge_u8f *)&sum[2][0] = sum_2_0;
				*(forge_u8f *)&sum[3][0] = sum_3_0;
				*(forge_u8f *)&sum[4][0] = sum_4_0;
				*(forge_u8f *)&sum[5][0] = sum_5_0;
#pragma omp simd
				for (int64_t o_s = 0; o_s < 8; o_s++) {
					y[((o + o_s) * oh + i) * ow + j] = sum[0][o_s];
				}
				*(forge_u8f *)&sum[0][0] = sum_0_0;
				*(forge_u8f *)&sum[1][0] = sum_1_0;
				*(forge_u8f *)&sum[2][0] = sum_2_0;
				*(forge_u8f *)&sum[3][0] = sum_3_0;
				*(forge_u8f *)&sum[4][0] = sum_4_0;
				*(forge_u8f *)&sum[5][0] = sum_5_0;
#pragma omp simd
				for (int64_t o_s = 0; o_s < 8; o_s++) {
					y[((o + o_s) * oh + i) * ow + (j + 1)] = sum[1][o_s];
				}
				*(forge_u8f *)&sum[0][0] = sum_0_0;
				*(forge_u8f *)&sum[1][0] = sum_1_0;
				*(forge_u8f *)&sum[2][0] = sum_2_0;
				*(forge_u8f *)&sum[3][0] = sum_3_0;
				*(forge_u8f *)&sum[4][0] = sum_4_0;
				*(forge_u8f *)&sum[5][0] = sum_5_0;
#pragma omp simd
				for (int64_t o_s = 0; o_s < 8; o_s++) {
					y[((o + o_s) * oh + i) * ow + (j + 2)] = sum[2][o_s];
				}
				*(forge_u8f *)&sum[0][0] = sum_0_0;
				*(forge_u8f *)&sum[1][0] = sum_1_0;
				*(forge_u8f *)&sum[2][0] = sum_2_0;
				*(forge_u8f *)&sum[3][0] = sum_3_0;
				*(forge_u8f *)&sum[4][0] = sum_4_0;
				*(forge_u8f *)&sum[5][0] = sum_5_0;
#pragma omp simd
				for (int64_t o_s = 0; o_s < 8; o_s++) {
					y[((o + o_s) * oh + i) * ow + (j + 3)] = sum[3][o_s];
				}
				*(forge_u8f *)&sum[0][0] = sum_0_0;
				*(forge_u8f *)&sum[1][0] = sum_1_0;
				*(forge_u8f *)&sum[2][0] = sum_2_0;
				*(forge_u8f *)&sum[3][0] = sum_3_0;
				*(forge_u8f *)&sum[4][0] = sum_4_0;
				*(forge_u8f *)&sum[5][0] = sum_5_0;
#pragma omp simd
				for (int64_t o_s = 0; o_s < 8; o_s++) {
					y[((o + o_s) * oh + i) * ow + (j + 4)] = sum[4][o_s];
				}
				*(forge_u8f *)&sum[0][0] = sum_0_0;
				*(forge_u8f *)&sum[1][0] = sum_1_0;
				*(forge_u8f *)&sum[2][0] = sum_2_0;
				*(forge_u8f *)&sum[3][0] = sum_3_0;
				*(forge_u8f *)&sum[4][0] = sum_4_0;
				*(forge_u8f *)&sum[5][0] = sum_5_0;
#pragma omp simd
				for (int64_t o_s = 0; o_s < 8; o_s++) {
					y[((o + o_s) * oh + i) * ow + (j + 5)] = sum[5][o_s];
				}
			}
			for (int64_t j = 36; j < ow; j++) {
				forge_v8f sum_0 = forge_all_8f(0.0f);
				float sum[8];
				for (int64_t c = 0; c < cin; c++) {
					for (int64_t a = 0; a < kh; a++) {
						for (int64_t b = 0; b < kw; b++) {
							sum_0 += x[(c * h + i + a) * w + j + b] * *(const forge_u8f *)&f_packed[c * 72 + a * 24 + b * 8];
						}
					}
				}
				*(forge_u8f *)&sum[0] = sum_0;
#pragma omp simd
				for (int64_t o_s = 0; o_s < 8; o_s++) {
					y[((o + o_s) * oh + i) * ow + j] = sum[o_s];
				}
			}
		}
	}
}

struct conv2d_odd_share1 {
	const float *x;
	const float *f;
	float *y;
	int64_t first;
	int64_t count;
	_Alignas(64) int64_t next;
};

static void conv2d_odd_team1(void *data)
{
	struct conv2d_odd_share1 *share = data;
	int64_t chunk;
	while ((chunk = __atomic_fetch_add(&share->next, 1, __ATOMIC_RELAXED)) < 32)
		conv2d_odd_part1(share->x, share->f, share->y, share->first + share->count * chunk /
				32 * 8, share->first + share->count * (chunk + 1) / 32 * 8);
}

/* The size odd. */
static __attribute__((noinline)) void conv2d_odd(const float *restrict x, const float *restrict f,
		float *restrict y)
{
	x = FORGE_ALIGNED(x);
	f = FORGE_ALIGNED(f);
	y = FORGE_ALIGNED(y);
	const int64_t cin = 7;
	const int64_t h = 43;
	const int64_t w = 39;
	const int64_t cout = 13;
	const int64_t kh = 3;
	const int64_t kw = 3;
	int64_t oh = h - kh + 1;
	int64_t ow = w - kw + 1;
	{
		const int64_t first = 0;
		const int64_t count = (8 - first + 7) / 8;
		struct conv2d_odd_share1 share = { .x = x, .f = f, .y = y, .first = first, .count =
				count };
		GOMP_parallel(conv2d_odd_team1, &share, 2, 0);
	}
	for (int64_t o = 8; o < cout; o++) {
		for (int64_t i = 0; i < oh; i++) {
			for (int64_t j = 0; j < ow; j++) {
				float sum_r = 0;
				for (int64_t c = 0; c < cin; c++)
					for (int64_t a = 0; a < kh; a++)
						for (int64_t b = 0; b < kw; b++)
							sum_r += x[(c * h + i + a) * w + j + b] * f[((o * cin + c) * kh + a) * kw + b];
				y[(o * oh + i) * ow + j] = sum_r;
			}
		}
	}
}

static __attribute__((noinline)) void conv2d_any(const float *restrict x, const float *restrict f,
		float *restrict y, int64_t cin, int64_t h, int64_t w, int64_t cout, int64_t kh,
		int64_t kw)
{
	x = FORGE_ALIGNED(x);
	f = FORGE_ALIGNED(f);
	y = FORGE_ALIGNED(y);
	int64_t oh = h - kh + 1;
	int64_t ow = w - kw + 1;
	for (int64_t o = 0; o < cout - 7; o += 8) {
		for (int64_t i = 0; i < oh; i++) {
			for (int64_t j = 0; j < ow - 5; j += 6) {
				forge_v8f sum_0_0 = forge_all_8f(0.0f);
				forge_v8f sum_1_0 = forge_all_8f(0.0f);
				forge_v8f sum_2_0 = forge_all_8f(0.0f);
				forge_v8f sum_3_0 = forge_all_8f(0.0f);
				forge_v8f sum_4_0 = forge_all_8f(0.0f);
				forge_v8f sum_5_0 = forge_all_8f(0.0f);
				float sum[6][8];
				*(forge_u8f *)&sum[0][0] = sum_0_0;
				*(forge_u8f *)&sum[1][0] = sum_1_0;
				*(forge_u8f *)&sum[2][0] = sum_2_0;
				*(forge_u8f *)&sum[3][0] = sum_3_0;
				*(forge_u8f *)&sum[4][0] = sum_4_0;
				*(forge_u8f *)&sum[5][0] = sum_5_0;
				for (int64_t c = 0; c < cin; c++) {
					for (int64_t a = 0; a < kh; a++) {
						for (int64_t b = 0; b < kw; b++) {
#pragma omp simd
							for (int64_t o_s = 0; o_s < 8; o_s++) {
								sum[0][o_s] += x[(c * h + i + a) * w + j + b] * f[(((o + o_s) * cin + c) * kh + a) * kw + b];
							}
#pragma omp simd
							for (int64_t o_s = 0; o_s < 8; o_s++) {
								sum[1][o_s] += x[(c * h + i + a) * w + (j + 1) + b] * f[(((o + o_s) * cin + c) * kh + a) * kw + b];
							}
#pragma omp simd
							for (int64_t o_s = 0; o_s < 8; o_s++) {
								sum[2][o_s] += x[(c * h + i + a) * w + (j + 2) + b] * f[(((o + o_s) * cin + c) * kh + a) * kw + b];
							}
#pragma omp simd
							for (int64_t o_s = 0; o_s < 8; o_s++) {
								sum[3][o_s] += x[(c * h + i + a) * w + (j + 3) + b] * f[(((o + o_s) * cin + c) * kh + a) * kw + b];
							}
#pragma omp simd
							for (int64_t o_s = 0; o_s < 8; o_s++) {
								sum[4][o_s] += x[(c * h + i + a) * w + (j + 4) + b] * f[(((o + o_s) * cin + c) * kh + a) * kw + b];
							}
#pragma omp simd
							for (int64_t o_s = 0; o_s < 8; o_s++) {
								sum[5][o_s] += x[(c * h + i + a) * w + (j + 5) + b] * f[(((o + o_s) * cin + c) * kh + a) * kw + b];
							}
						}
					}
				}
				sum_0_0 = *(const forge_u8f *)&sum[0][0];
				sum_1_0 = *(const forge_u8f *)&sum[1][0];
				sum_2_0 = *(const forge_u8f *)&sum[2][0];
				sum_3_0 = *(const forge_u8f *)&sum[3][0];
				sum_4_0 = *(const forge_u8f *)&sum[4][0];
				sum_5_0 = *(const forge_u8f *)&sum[5][0];
				*(forge_u8f *)&sum[0][0] = sum_0_0;
				*(forge_u8f *)&sum[1][0] = sum_1_0;
				*(forge_u8f *)&sum[2][0] = sum_2_0;
				*(forge_u8f *)&sum[3][0] = sum_3_0;
				*(forge_u8f *)&sum[4][0] = sum_4_0;
				*(forge_u8f *)&sum[5][0] = sum_5_0;
#pragma omp simd
				for (int64_t o_s = 0; o_s < 8; o_s++) {
					y[((o + o_s) * oh + i) * ow + j] = sum[0][o_s];
				}
				*(forge_u8f *)&sum[0][0] = sum_0_0;
				*(forge_u8f *)&sum[1][0] = sum_1_0;
				*(forge_u8f *)&sum[2][0] = sum_2_0;
				*(forge_u8f *)&sum[3][0] = sum_3_0;
				*(forge_u8f *)&sum[4][0] = sum_4_0;
				*(forge_u8f *)&sum[5][0] = sum_5_0;
#pragma omp simd
				for (int64_t o_s = 0; o_s < 8; o_s++) {
					y[((o + o_s) * oh + i) * ow + (j + 1)] = sum[1][o_s];
				}
				*(forge_u8f *)&sum[0][0] = sum_0_0;
				*(forge_u8f *)&sum[1][0] = sum_1_0;
				*(forge_u8f *)&sum[2][0] = sum_2_0;
				*(forge_u8f *)&sum[3][0] = sum_3_0;
				*(forge_u8f *)&sum[4][0] = sum_4_0;
				*(forge_u8f *)&sum[5][0] = sum_5_0;
#pragma omp simd
				for (int64_t o_s = 0; o_s < 8; o_s++) {
					y[((o + o_s) * oh + i) * ow + (j + 2)] = sum[2][o_s];
				}
				*(forge_u8f *)&sum[0][0] = sum_0_0;
				*(forge_u8f *)&sum[1][0] = sum_1_0;
				*(forge_u8f *)&sum[2][0] = sum_2_0;
				*(forge_u8f *)&sum[3][0] = sum_3_0;
				*(forge_u8f *)&sum[4][0] = sum_4_0;
				*(forge_u8f *)&sum[5][0] = sum_5_0;
#pragma omp simd
				for (int64_t o_s = 0; o_s < 8; o_s++) {
					y[((o + o_s) * oh + i) * ow + (j + 3)] = sum[3][o_s];
				}
				*(forge_u8f *)&sum[0][0] = sum_0_0;
				*(forge_u8f *)&sum[1][0] = sum_1_0;
				*(forge_u8f *)&sum[2][0] = sum_2_0;
				*(forge_u8f *)&sum[3][0] = sum_3_0;
				*(forge_u8f *)&sum[4][0] = sum_4_0;
				*(forge_u8f *)&sum[5][0] = sum_5_0;
#pragma omp simd
				for (int64_t o_s = 0; o_s < 8; o_s++) {
					y[((o + o_s) * oh + i) * ow + (j + 4)] = sum[4][o_s];
				}
				*(forge_u8f *)&sum[0][0] = sum_0_0;
				*(forge_u8f *)&sum[1][0] = sum_1_0;
				*(forge_u8f *)&sum[2][0] = sum_2_0;
				*(forge_u8f *)&sum[3][0] = sum_3_0;
				*(forge_u8f *)&sum[4][0] = sum_4_0;
				*(forge_u8f *)&sum[5][0] = sum_5_0;
#pragma omp simd
				for (int64_t o_s = 0; o_s < 8; o_s++) {
					y[((o + o_s) * oh + i) * ow + (j + 5)] = sum[5][o_s];
				}
			}
			for (int64_t j = ow / 6 * 6; j < ow; j++) {
				forge_v8f sum_0 = forge_all_8f(0.0f);
				float sum[8];
				*(forge_u8f *)&sum[0] = sum_0;
				for (int64_t c = 0; c < cin; c++) {
					for (int64_t a = 0; a < kh; a++) {
						for (int64_t b = 0; b < kw; b++) {
#pragma omp simd
							for (int64_t o_s = 0; o_s < 8; o_s++) {
								sum[o_s] += x[(c * h + i + a) * w + j + b] * f[(((o + o_s) * cin + c) * kh + a) * kw + b];
							}
						}
					}
				}
				sum_0 = *(const forge_u8f *)&sum[0];
				*(forge_u8f *)&sum[0] = sum_0;
#pragma omp simd
				for (int64_t o_s = 0; o_s < 8; o_s++) {
					y[((o + o_s) * oh + i) * ow + j] = sum[o_s];
				}
			}
		}
	}
	for (int64_t o = cout / 8 * 8; o < cout; o++) {
		for (int64_t i = 0; i < oh; i++) {
			for (int64_t j = 0; j < ow; j++) {
				float sum_r = 0;
				for (int64_t c = 0; c < cin; c++)
					for (int64_t a = 0; a < kh; a++)
						for (int64_t b = 0; b < kw; b++)
							sum_r += x[(c * h + i + a) * w + j + b] * f[((o * cin + c) * kh + a) * kw + b];
				y[(o * oh + i) * ow + j] = sum_r;
			}
		}
	}
}

void conv2d(const float *x, const float *f, float *y, int64_t cin, int64_t h, int64_t w,
		int64_t cout, int64_t kh, int64_t kw)
{
	if (cin == 32 && h == 30 && w == 30 && cout == 32 && kh == 3 && kw == 3)
		conv2d_c32_30x30_k3(x, f, y);
	else if (cin == 8 && h == 36 && w == 36 && cout == 16 && kh == 5 && kw == 5)
		conv2d_c8_36x36_k5(x, f, y);
	else if (cin == 7 && h == 43 && w == 39 && cout == 13 && kh == 3 && kw == 3)
		conv2d_odd(x, f, y);
	else
		conv2d_any(x, f, y, cin, h, w, cout, kh, kw);
}

/* The rest of the source. */
