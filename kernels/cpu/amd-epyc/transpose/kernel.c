/*
 * forge-build: gcc -O3 -march=native -ffast-math -fopenmp-simd
 * forge-rows: 1
 *   D0.1 build cc=gcc flags=-O3,-march=native,-ffast-math
 *   D0.1 specialise shapes=all
 *   D1.2 sink loop=L0 u=16 as=lanes rest=overlap
 *   D0.2 pack array=a loop=L0
 *   D0.3 threads loop=L0 n=2 layout=block
 *   D1.1 vectors bits=256
 *
 * Written by forge-tuner from the reference, by the rows above.
 */
#include <forge/kernel.h>
#include <stdint.h>

/* What the rows apply to. Nothing calls it: a later search goes on from here. */
static __attribute__((unused))
void transpose_plain(const float *a, float *b, int64_t n, int64_t m)
{
	for (int64_t i = 0; i < n; i++)
		for (int64_t j = 0; j < m; j++)
			b[j * n + i] = a[i * m + j];
}

/* What the rows made of it. */
typedef __attribute__((vector_size(32))) float forge_v8f;
typedef __attribute__((vector_size(32), aligned(4), may_alias)) float forge_u8f;

void GOMP_parallel(void (*)(void *), void *, unsigned, unsigned);
int omp_get_thread_num(void);
int omp_get_num_threads(void);

static __attribute__((noinline)) void transpose_1024x1024_part1(const float *restrict a,
		float *restrict b, int64_t first, int64_t last)
{
	a = FORGE_ALIGNED(a);
	b = FORGE_ALIGNED(b);
	const int64_t n = 1024;
	const int64_t m = 1024;
	for (int64_t i = first; i < last; i += 16) {
		_Alignas(64) float a_packed[16384];
		for (int64_t jp = 0; jp < 64; jp++)
			for (int64_t jps = 0; jps < 16; jps++)
				for (int64_t i_sp = 0; i_sp < 16; i_sp++)
					a_packed[jp * 256 + jps * 16 + i_sp] = a[i * 1024 + jp * 16 + jps + i_sp * 1024];
		for (int64_t j = 0; j < m; j++) {
			*(forge_u8f *)&b[j * n + i] = *(const forge_u8f *)&a_packed[j * 16];
			*(forge_u8f *)&b[j * n + (i + 8)] = *(const forge_u8f *)&a_packed[j * 16 +
					8];
		}
	}
}

struct transpose_1024x1024_share1 {
	const float *a;
	float *b;
	int64_t first;
	int64_t count;
};

static void transpose_1024x1024_team1(void *data)
{
	struct transpose_1024x1024_share1 *share = data;
	for (int64_t chunk = omp_get_thread_num(); chunk < 2; chunk += omp_get_num_threads())
		transpose_1024x1024_part1(share->a, share->b, share->first + share->count * chunk /
				2 * 16, share->first + share->count * (chunk + 1) / 2 * 16);
}

/* The size 1024x1024. */
static __attribute__((noinline)) void transpose_1024x1024(const float *restrict a,
		float *restrict b)
{
	a = FORGE_ALIGNED(a);
	b = FORGE_ALIGNED(b);
	const int64_t n = 1024;
	const int64_t m = 1024;
	{
		const int64_t first = 0;
		const int64_t count = (n - first + 15) / 16;
		struct transpose_1024x1024_share1 share = { .a = a, .b = b, .first = first, .count =
				count };
		GOMP_parallel(transpose_1024x1024_team1, &share, 2, 0);
	}
}

static __attribute__((noinline)) void transpose_2048x256_part1(const float *restrict a,
		float *restrict b, int64_t first, int64_t last)
{
	a = FORGE_ALIGNED(a);
	b = FORGE_ALIGNED(b);
	const int64_t n = 2048;
	const int64_t m = 256;
	for (int64_t i = first; i < last; i += 16) {
		_Alignas(64) float a_packed[4096];
		for (int64_t jp = 0; jp < 16; jp++)
			for (int64_t jps = 0; jps < 16; jps++)
				for (int64_t i_sp = 0; i_sp < 16; i_sp++)
					a_packed[jp * 256 + jps * 16 + i_sp] = a[i * 256 + jp * 16 + jps + i_sp * 256];
		for (int64_t j = 0; j < m; j++) {
			*(forge_u8f *)&b[j * n + i] = *(const forge_u8f *)&a_packed[j * 16];
			*(forge_u8f *)&b[j * n + (i + 8)] = *(const forge_u8f *)&a_packed[j * 16 +
					8];
		}
	}
}

struct transpose_2048x256_share1 {
	const float *a;
	float *b;
	int64_t first;
	int64_t count;
};

static void transpose_2048x256_team1(void *data)
{
	struct transpose_2048x256_share1 *share = data;
	for (int64_t chunk = omp_get_thread_num(); chunk < 2; chunk += omp_get_num_threads())
		transpose_2048x256_part1(share->a, share->b, share->first + share->count * chunk /
				2 * 16, share->first + share->count * (chunk + 1) / 2 * 16);
}

/* The size 2048x256. */
static __attribute__((noinline)) void transpose_2048x256(const float *restrict a, float *restrict b)
{
	a = FORGE_ALIGNED(a);
	b = FORGE_ALIGNED(b);
	const int64_t n = 2048;
	const int64_t m = 256;
	{
		const int64_t first = 0;
		const int64_t count = (n - first + 15) / 16;
		struct transpose_2048x256_share1 share = { .a = a, .b = b, .first = first, .count =
				count };
		GOMP_parallel(transpose_2048x256_team1, &share, 2, 0);
	}
}

static __attribute__((noinline)) void transpose_odd_part1(const float *restrict a,
		float *restrict b, int64_t first, int64_t last)
{
	a = FORGE_ALIGNED(a);
	b = FORGE_ALIGNED(b);
	const int64_t n = 1023;
	const int64_t m = 517;
	for (int64_t i = first; i < last; i += 16) {
		_Alignas(64) float a_packed[8272];
		for (int64_t jp = 0; jp < 517; jp++)
			for (int64_t i_sp = 0; i_sp < 16; i_sp++)
				a_packed[jp * 16 + i_sp] = a[i * 517 + jp + i_sp * 517];
		for (int64_t j = 0; j < m; j++) {
			*(forge_u8f *)&b[j * n + i] = *(const forge_u8f *)&a_packed[j * 16];
			*(forge_u8f *)&b[j * n + (i + 8)] = *(const forge_u8f *)&a_packed[j * 16 +
					8];
		}
	}
}

struct transpose_odd_share1 {
	const float *a;
	float *b;
	int64_t first;
	int64_t count;
};

static void transpose_odd_team1(void *data)
{
	struct transpose_odd_share1 *share = data;
	for (int64_t chunk = omp_get_thread_num(); chunk < 2; chunk += omp_get_num_threads())
		transpose_odd_part1(share->a, share->b, share->first + share->count * chunk / 2 *
				16, share->first + share->count * (chunk + 1) / 2 * 16);
}

/* The size odd. */
static __attribute__((noinline)) void transpose_odd(const float *restrict a, float *restrict b)
{
	a = FORGE_ALIGNED(a);
	b = FORGE_ALIGNED(b);
	const int64_t n = 1023;
	const int64_t m = 517;
	{
		const int64_t first = 0;
		const int64_t count = (1008 - first + 15) / 16;
		struct transpose_odd_share1 share = { .a = a, .b = b, .first = first, .count =
				count };
		GOMP_parallel(transpose_odd_team1, &share, 2, 0);
	}
	for (int64_t i = 1007; i < n; i += 16) {
		for (int64_t j = 0; j < m; j++) {
#pragma omp simd
			for (int64_t i_s = 0; i_s < 16; i_s++) {
				b[j * n + (i + i_s)] = a[(i + i_s) * m + j];
			}
		}
	}
}

static __attribute__((noinline)) void transpose_any_part1(const float *restrict a,
		float *restrict b, int64_t n, int64_t m, int64_t first, int64_t last)
{
	a = FORGE_ALIGNED(a);
	b = FORGE_ALIGNED(b);
	for (int64_t i = first; i < last; i += 16) {
		for (int64_t j = 0; j < m; j++) {
#pragma omp simd
			for (int64_t i_s = 0; i_s < 16; i_s++) {
				b[j * n + (i + i_s)] = a[(i + i_s) * m + j];
			}
		}
	}
}

struct transpose_any_share1 {
	const float *a;
	float *b;
	int64_t n;
	int64_t m;
	int64_t first;
	int64_t count;
};

static void transpose_any_team1(void *data)
{
	struct transpose_any_share1 *share = data;
	for (int64_t chunk = omp_get_thread_num(); chunk < 2; chunk += omp_get_num_threads())
		transpose_any_part1(share->a, share->b, share->n, share->m, share->first +
				share->count * chunk / 2 * 16, share->first + share->count *
				(chunk + 1) / 2 * 16);
}

static __attribute__((noinline)) void transpose_any(const float *restrict a, float *restrict b,
		int64_t n, int64_t m)
{
	a = FORGE_ALIGNED(a);
	b = FORGE_ALIGNED(b);
	{
		const int64_t first = 0;
		const int64_t count = (n - 15 - first + 15) / 16;
		struct transpose_any_share1 share = { .a = a, .b = b, .n = n, .m = m, .first =
				first, .count = count };
		GOMP_parallel(transpose_any_team1, &share, 2, 0);
	}
	for (int64_t i = n / 16 * 16; i < n; i++)
		for (int64_t j = 0; j < m; j++)
			b[j * n + i] = a[i * m + j];
}

void transpose(const float *a, float *b, int64_t n, int64_t m)
{
	if (n == 1024 && m == 1024)
		transpose_1024x1024(a, b);
	else if (n == 2048 && m == 256)
		transpose_2048x256(a, b);
	else if (n == 1023 && m == 517)
		transpose_odd(a, b);
	else
		transpose_any(a, b, n, m);
}

/* The rest of the source. */
