/*
 * forge-build: clang -O3 -march=native -fopenmp-simd
 * forge-rows: 1
 *   D0.1 build cc=clang flags=-O3,-march=native
 *   D0.1 specialise shapes=all
 *   D0.2 sink loop=L0.0 u=16 as=lanes rest=overlap
 *   D0.2 pack array=b loop=L0 place=front
 *   D0.2 sink loop=L0 u=6 as=registers rest=overlap
 *   D0.3 threads loop=L0 n=2 layout=dynamic
 *   D0.3 threads loop=L0.0r n=2 layout=dynamic
 *
 * Written by forge-tuner from the reference, by the rows above.
 */
#include <forge/kernel.h>
#include <stdlib.h>
#include <stdint.h>

/* What the rows apply to. Nothing calls it: a later search goes on from here. */
static __attribute__((unused))
void sgemm_plain(const float *a, const float *b, float *c, int64_t m, int64_t n, int64_t k)
{
	for (int64_t i = 0; i < m; i++) {
		for (int64_t j = 0; j < n; j++) {
			float sum = 0;
			for (int64_t p = 0; p < k; p++)
				sum += a[i * k + p] * b[p * n + j];
			c[i * n + j] = sum;
		}
	}
}

/* What the rows made of it. */
void GOMP_parallel(void (*)(void *), void *, unsigned, unsigned);
int omp_get_thread_num(void);
int omp_get_num_threads(void);

static __attribute__((noinline)) void sgemm_256x256x256_part1(const float *restrict a,
		float *restrict c, float *restrict b_packed, int64_t first, int64_t last)
{
	a = FORGE_ALIGNED(a);
	c = FORGE_ALIGNED(c);
	const int64_t n = 256;
	const int64_t k = 256;
	for (int64_t i = first; i < last; i += 6) {
		for (int64_t j = 0; j < n; j += 16) {
			float sum[6][16];
			for (int64_t i_s = 0; i_s < 6; i_s++) {
#pragma omp simd
				for (int64_t j_s = 0; j_s < 16; j_s++) {
					sum[i_s][j_s] = 0;
				}
			}
			for (int64_t p = 0; p < k; p++) {
				for (int64_t i_s = 0; i_s < 6; i_s++) {
#pragma omp simd
					for (int64_t j_s = 0; j_s < 16; j_s++) {
						sum[i_s][j_s] += a[(i + i_s) * k + p] * b_packed[j * 256 + p * 16 + j_s];
					}
				}
			}
			for (int64_t i_s = 0; i_s < 6; i_s++) {
#pragma omp simd
				for (int64_t j_s = 0; j_s < 16; j_s++) {
					c[(i + i_s) * n + (j + j_s)] = sum[i_s][j_s];
				}
			}
		}
	}
}

struct sgemm_256x256x256_share1 {
	const float *a;
	float *c;
	float *b_packed;
	int64_t first;
	int64_t count;
	_Alignas(64) int64_t next;
};

static void sgemm_256x256x256_team1(void *data)
{
	struct sgemm_256x256x256_share1 *share = data;
	int64_t chunk;
	while ((chunk = __atomic_fetch_add(&share->next, 1, __ATOMIC_RELAXED)) < 32)
		sgemm_256x256x256_part1(share->a, share->c, share->b_packed, share->first +
				share->count * chunk / 32 * 6, share->first + share->count *
				(chunk + 1) / 32 * 6);
}

static __attribute__((noinline)) void sgemm_256x256x256_part2(const float *restrict a,
		float *restrict c, float *restrict b_packed, int64_t i, int64_t first, int64_t last)
{
	a = FORGE_ALIGNED(a);
	c = FORGE_ALIGNED(c);
	const int64_t n = 256;
	const int64_t k = 256;
	for (int64_t j = first; j < last; j += 16) {
		float sum_r[6][16];
		for (int64_t i_s = 0; i_s < 6; i_s++) {
#pragma omp simd
			for (int64_t j_s = 0; j_s < 16; j_s++) {
				sum_r[i_s][j_s] = 0;
			}
		}
		for (int64_t p = 0; p < k; p++) {
			for (int64_t i_s = 0; i_s < 6; i_s++) {
#pragma omp simd
				for (int64_t j_s = 0; j_s < 16; j_s++) {
					sum_r[i_s][j_s] += a[(i + i_s) * k + p] * b_packed[j * 256 + p * 16 + j_s];
				}
			}
		}
		for (int64_t i_s = 0; i_s < 6; i_s++) {
#pragma omp simd
			for (int64_t j_s = 0; j_s < 16; j_s++) {
				c[(i + i_s) * n + (j + j_s)] = sum_r[i_s][j_s];
			}
		}
	}
}

struct sgemm_256x256x256_share2 {
	const float *a;
	float *c;
	float *b_packed;
	int64_t i;
	int64_t first;
	int64_t count;
	_Alignas(64) int64_t next;
};

static void sgemm_256x256x256_team2(void *data)
{
	struct sgemm_256x256x256_share2 *share = data;
	int64_t chunk;
	while ((chunk = __atomic_fetch_add(&share->next, 1, __ATOMIC_RELAXED)) < 32)
		sgemm_256x256x256_part2(share->a, share->c, share->b_packed, share->i,
				share->first + share->count * chunk / 32 * 16, share->first +
				share->count * (chunk + 1) / 32 * 16);
}

/* The size 256x256x256. */
static __attribute__((noinline)) void sgemm_256x256x256(const float *restrict a,
		const float *restrict b, float *restrict c)
{
	a = FORGE_ALIGNED(a);
	b = FORGE_ALIGNED(b);
	c = FORGE_ALIGNED(c);
	const int64_t m = 256;
	const int64_t n = 256;
	const int64_t k = 256;
	float *restrict b_packed = aligned_alloc(64, 65536 * sizeof(float));
	for (int64_t jp = 0; jp < 16; jp++)
		for (int64_t pp = 0; pp < 256; pp++)
			for (int64_t j_sp = 0; j_sp < 16; j_sp++)
				b_packed[jp * 4096 + pp * 16 + j_sp] = b[jp * 16 + pp * 256 + j_sp];
	{
		const int64_t first = 0;
		const int64_t count = (252 - first + 5) / 6;
		struct sgemm_256x256x256_share1 share = { .a = a, .c = c, .b_packed = b_packed,
				.first = first, .count = count };
		GOMP_parallel(sgemm_256x256x256_team1, &share, 2, 0);
	}
	for (int64_t i = 250; i < m; i += 6) {
		{
			const int64_t first = 0;
			const int64_t count = (n - first + 15) / 16;
			struct sgemm_256x256x256_share2 share =
					{ .a = a, .c = c, .b_packed = b_packed, .i = i, .first =
					first, .count = count };
			GOMP_parallel(sgemm_256x256x256_team2, &share, 2, 0);
		}
	}
	free(b_packed);
}

static __attribute__((noinline)) void sgemm_384x128x192_part1(const float *restrict a,
		float *restrict c, float *restrict b_packed, int64_t first, int64_t last)
{
	a = FORGE_ALIGNED(a);
	c = FORGE_ALIGNED(c);
	const int64_t m = 384;
	const int64_t n = 128;
	const int64_t k = 192;
	for (int64_t i = first; i < last; i += 6) {
		for (int64_t j = 0; j < n; j += 16) {
			float sum[6][16];
			for (int64_t i_s = 0; i_s < 6; i_s++) {
#pragma omp simd
				for (int64_t j_s = 0; j_s < 16; j_s++) {
					sum[i_s][j_s] = 0;
				}
			}
			for (int64_t p = 0; p < k; p++) {
				for (int64_t i_s = 0; i_s < 6; i_s++) {
#pragma omp simd
					for (int64_t j_s = 0; j_s < 16; j_s++) {
						sum[i_s][j_s] += a[(i + i_s) * k + p] * b_packed[j * 192 + p * 16 + j_s];
					}
				}
			}
			for (int64_t i_s = 0; i_s < 6; i_s++) {
#pragma omp simd
				for (int64_t j_s = 0; j_s < 16; j_s++) {
					c[(i + i_s) * n + (j + j_s)] = sum[i_s][j_s];
				}
			}
		}
	}
}

struct sgemm_384x128x192_share1 {
	const float *a;
	float *c;
	float *b_packed;
	int64_t first;
	int64_t count;
	_Alignas(64) int64_t next;
};

static void sgemm_384x128x192_team1(void *data)
{
	struct sgemm_384x128x192_share1 *share = data;
	int64_t chunk;
	while ((chunk = __atomic_fetch_add(&share->next, 1, __ATOMIC_RELAXED)) < 32)
		sgemm_384x128x192_part1(share->a, share->c, share->b_packed, share->first +
				share->count * chunk / 32 * 6, share->first + share->count *
				(chunk + 1) / 32 * 6);
}

/* The size 384x128x192. */
static __attribute__((noinline)) void sgemm_384x128x192(const float *restrict a,
		const float *restrict b, float *restrict c)
{
	a = FORGE_ALIGNED(a);
	b = FORGE_ALIGNED(b);
	c = FORGE_ALIGNED(c);
	const int64_t m = 384;
	const int64_t n = 128;
	const int64_t k = 192;
	_Alignas(64) float b_packed[24576];
	for (int64_t jp = 0; jp < 8; jp++)
		for (int64_t pp = 0; pp < 192; pp++)
			for (int64_t j_sp = 0; j_sp < 16; j_sp++)
				b_packed[jp * 3072 + pp * 16 + j_sp] = b[jp * 16 + pp * 128 + j_sp];
	{
		const int64_t first = 0;
		const int64_t count = (m - first + 5) / 6;
		struct sgemm_384x128x192_share1 share = { .a = a, .c = c, .b_packed = b_packed,
				.first = first, .count = count };
		GOMP_parallel(sgemm_384x128x192_team1, &share, 2, 0);
	}
}

static __attribute__((noinline)) void sgemm_odd_part1(const float *restrict a,
		const float *restrict b, float *restrict c, float *restrict b_packed, int64_t first,
		int64_t last)
{
	a = FORGE_ALIGNED(a);
	b = FORGE_ALIGNED(b);
	c = FORGE_ALIGNED(c);
	const int64_t n = 255;
	const int64_t k = 193;
	for (int64_t i = first; i < last; i += 6) {
		for (int64_t j = 0; j < 240; j += 16) {
			float sum[6][16];
			for (int64_t i_s = 0; i_s < 6; i_s++) {
#pragma omp simd
				for (int64_t j_s = 0; j_s < 16; j_s++) {
					sum[i_s][j_s] = 0;
				}
			}
			for (int64_t p = 0; p < k; p++) {
				for (int64_t i_s = 0; i_s < 6; i_s++) {
#pragma omp simd
					for (int64_t j_s = 0; j_s < 16; j_s++) {
						sum[i_s][j_s] += a[(i + i_s) * k + p] * b_packed[j * 193 + p * 16 + j_s];
					}
				}
			}
			for (int64_t i_s = 0; i_s < 6; i_s++) {
#pragma omp simd
				for (int64_t j_s = 0; j_s < 16; j_s++) {
					c[(i + i_s) * n + (j + j_s)] = sum[i_s][j_s];
				}
			}
		}
		for (int64_t j = 239; j < n; j += 16) {
			float sum_r[6][16];
			for (int64_t i_s = 0; i_s < 6; i_s++) {
#pragma omp simd
				for (int64_t j_s = 0; j_s < 16; j_s++) {
					sum_r[i_s][j_s] = 0;
				}
			}
			for (int64_t p = 0; p < k; p++) {
				for (int64_t i_s = 0; i_s < 6; i_s++) {
#pragma omp simd
					for (int64_t j_s = 0; j_s < 16; j_s++) {
						sum_r[i_s][j_s] += a[(i + i_s) * k + p] * b[p * n + (j + j_s)];
					}
				}
			}
			for (int64_t i_s = 0; i_s < 6; i_s++) {
#pragma omp simd
				for (int64_t j_s = 0; j_s < 16; j_s++) {
					c[(i + i_s) * n + (j + j_s)] = sum_r[i_s][j_s];
				}
			}
		}
	}
}

struct sgemm_odd_share1 {
	const float *a;
	const float *b;
	float *c;
	float *b_packed;
	int64_t first;
	int64_t count;
	_Alignas(64) int64_t next;
};

static void sgemm_odd_team1(void *data)
{
	struct sgemm_odd_share1 *share = data;
	int64_t chunk;
	while ((chunk = __atomic_fetch_add(&share->next, 1, __ATOMIC_RELAXED)) < 32)
		sgemm_odd_part1(share->a, share->b, share->c, share->b_packed, share->first +
				share->count * chunk / 32 * 6, share->first + share->count *
				(chunk + 1) / 32 * 6);
}

/* The size odd. */
static __attribute__((noinline)) void sgemm_odd(const float *restrict a, const float *restrict b,
		float *restrict c)
{
	a = FORGE_ALIGNED(a);
	b = FORGE_ALIGNED(b);
	c = FORGE_ALIGNED(c);
	const int64_t m = 129;
	const int64_t n = 255;
	const int64_t k = 193;
	_Alignas(64) float b_packed[46320];
	for (int64_t jp = 0; jp < 15; jp++)
		for (int64_t pp = 0; pp < 193; pp++)
			for (int64_t j_sp = 0; j_sp < 16; j_sp++)
				b_packed[jp * 3088 + pp * 16 + j_sp] = b[jp * 16 + pp * 255 + j_sp];
	{
		const int64_t first = 0;
		const int64_t count = (126 - first + 5) / 6;
		struct sgemm_odd_share1 share = { .a = a, .b = b, .c = c, .b_packed = b_packed,
				.first = first, .count = count };
		GOMP_parallel(sgemm_odd_team1, &share, 2, 0);
	}
	for (int64_t i = 123; i < m; i += 6) {
		for (int64_t j = 0; j < 240; j += 16) {
			float sum_r_2[6][16];
			for (int64_t i_s = 0; i_s < 6; i_s++) {
#pragma omp simd
				for (int64_t j_s = 0; j_s < 16; j_s++) {
					sum_r_2[i_s][j_s] = 0;
				}
			}
			for (int64_t p = 0; p < k; p++) {
				for (int64_t i_s = 0; i_s < 6; i_s++) {
#pragma omp simd
					for (int64_t j_s = 0; j_s < 16; j_s++) {
						sum_r_2[i_s][j_s] += a[(i + i_s) * k + p] * b_packed[j * 193 + p * 16 + j_s];
					}
				}
			}
			for (int64_t i_s = 0; i_s < 6; i_s++) {
#pragma omp simd
				for (int64_t j_s = 0; j_s < 16; j_s++) {
					c[(i + i_s) * n + (j + j_s)] = sum_r_2[i_s][j_s];
				}
			}
		}
		for (int64_t j = 239; j < n; j += 16) {
			float sum_r_r[6][16];
			for (int64_t i_s = 0; i_s < 6; i_s++) {
#pragma omp simd
				for (int64_t j_s = 0; j_s < 16; j_s++) {
					sum_r_r[i_s][j_s] = 0;
				}
			}
			for (int64_t p = 0; p < k; p++) {
				for (int64_t i_s = 0; i_s < 6; i_s++) {
#pragma omp simd
					for (int64_t j_s = 0; j_s < 16; j_s++) {
						sum_r_r[i_s][j_s] += a[(i + i_s) * k + p] * b[p * n + (j + j_s)];
					}
				}
			}
			for (int64_t i_s = 0; i_s < 6; i_s++) {
#pragma omp simd
				for (int64_t j_s = 0; j_s < 16; j_s++) {
					c[(i + i_s) * n + (j + j_s)] = sum_r_r[i_s][j_s];
				}
			}
		}
	}
}

static __attribute__((noinline)) void sgemm_any_part1(const float *restrict a,
		const float *restrict b, float *restrict c, int64_t m, int64_t n, int64_t k,
		int64_t first, int64_t last)
{
	a = FORGE_ALIGNED(a);
	b = FORGE_ALIGNED(b);
	c = FORGE_ALIGNED(c);
	for (int64_t i = first; i < last; i += 6) {
		for (int64_t j = 0; j < n - 15; j += 16) {
			float sum[6][16];
			for (int64_t i_s = 0; i_s < 6; i_s++) {
#pragma omp simd
				for (int64_t j_s = 0; j_s < 16; j_s++) {
					sum[i_s][j_s] = 0;
				}
			}
			for (int64_t p = 0; p < k; p++) {
				for (int64_t i_s = 0; i_s < 6; i_s++) {
#pragma omp simd
					for (int64_t j_s = 0; j_s < 16; j_s++) {
						sum[i_s][j_s] += a[(i + i_s) * k + p] * b[p * n + (j + j_s)];
					}
				}
			}
			for (int64_t i_s = 0; i_s < 6; i_s++) {
#pragma omp simd
				for (int64_t j_s = 0; j_s < 16; j_s++) {
					c[(i + i_s) * n + (j + j_s)] = sum[i_s][j_s];
				}
			}
		}
		for (int64_t j = n / 16 * 16; j < n; j++) {
			float sum_r[6];
			for (int64_t i_s = 0; i_s < 6; i_s++) {
				sum_r[i_s] = 0;
			}
			for (int64_t p = 0; p < k; p++) {
				for (int64_t i_s = 0; i_s < 6; i_s++) {
					sum_r[i_s] += a[(i + i_s) * k + p] * b[p * n + j];
				}
			}
			for (int64_t i_s = 0; i_s < 6; i_s++) {
				c[(i + i_s) * n + j] = sum_r[i_s];
			}
		}
	}
}

struct sgemm_any_share1 {
	const float *a;
	const float *b;
	float *c;
	int64_t m;
	int64_t n;
	int64_t k;
	int64_t first;
	int64_t count;
	_Alignas(64) int64_t next;
};

static void sgemm_any_team1(void *data)
{
	struct sgemm_any_share1 *share = data;
	int64_t chunk;
	while ((chunk = __atomic_fetch_add(&share->next, 1, __ATOMIC_RELAXED)) < 32)
		sgemm_any_part1(share->a, share->b, share->c, share->m, share->n, share->k,
				share->first + share->count * chunk / 32 * 6, share->first +
				share->count * (chunk + 1) / 32 * 6);
}

static __attribute__((noinline)) void sgemm_any(const float *restrict a, const float *restrict b,
		float *restrict c, int64_t m, int64_t n, int64_t k)
{
	a = FORGE_ALIGNED(a);
	b = FORGE_ALIGNED(b);
	c = FORGE_ALIGNED(c);
	{
		const int64_t first = 0;
		const int64_t count = (m - 5 - first + 5) / 6;
		struct sgemm_any_share1 share = { .a = a, .b = b, .c = c, .m = m, .n = n, .k = k,
				.first = first, .count = count };
		GOMP_parallel(sgemm_any_team1, &share, 2, 0);
	}
	for (int64_t i = m / 6 * 6; i < m; i++) {
		for (int64_t j = 0; j < n - 15; j += 16) {
			float sum[16];
#pragma omp simd
			for (int64_t j_s = 0; j_s < 16; j_s++) {
				sum[j_s] = 0;
			}
			for (int64_t p = 0; p < k; p++) {
#pragma omp simd
				for (int64_t j_s = 0; j_s < 16; j_s++) {
					sum[j_s] += a[i * k + p] * b[p * n + (j + j_s)];
				}
			}
#pragma omp simd
			for (int64_t j_s = 0; j_s < 16; j_s++) {
				c[i * n + (j + j_s)] = sum[j_s];
			}
		}
		for (int64_t j = n / 16 * 16; j < n; j++) {
			float sum_r_r = 0;
			for (int64_t p = 0; p < k; p++)
				sum_r_r += a[i * k + p] * b[p * n + j];
			c[i * n + j] = sum_r_r;
		}
	}
}

void sgemm(const float *a, const float *b, float *c, int64_t m, int64_t n, int64_t k)
{
	if (m == 256 && n == 256 && k == 256)
		sgemm_256x256x256(a, b, c);
	else if (m == 384 && n == 128 && k == 192)
		sgemm_384x128x192(a, b, c);
	else if (m == 129 && n == 255 && k == 193)
		sgemm_odd(a, b, c);
	else
		sgemm_any(a, b, c, m, n, k);
}

/* The rest of the source. */
