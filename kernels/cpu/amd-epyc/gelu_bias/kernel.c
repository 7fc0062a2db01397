/*
 * forge-build: gcc -O3 -march=native -ffast-math -funroll-loops
 * forge-rows: 1
 *   D0.1 build cc=gcc flags=-O3,-march=native,-ffast-math,-funroll-loops
 *   D0.1 specialise shapes=all
 *   D0.3 threads loop=L0 n=2 layout=dynamic
 *
 * Written by forge-tuner from the reference, by the rows above.
 */
#include <forge/kernel.h>
#include <math.h>
#include <stdint.h>

/* What the rows apply to. Nothing calls it: a later search goes on from here. */
static __attribute__((unused))
void gelu_bias_plain(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++) {
		for (int64_t c = 0; c < cols; c++) {
			float u = x[r * cols + c] + b[c];
			float inner = 0.7978845608f * (u + 0.044715f * u * u * u);
			y[r * cols + c] = 0.5f * u * (1.0f + tanhf(inner));
		}
	}
}

/* What the rows made of it. */
void GOMP_parallel(void (*)(void *), void *, unsigned, unsigned);
int omp_get_thread_num(void);
int omp_get_num_threads(void);

static __attribute__((noinline)) void gelu_bias_512x512_part1(const float *restrict x,
		const float *restrict b, float *restrict y, int64_t first, int64_t last)
{
	x = FORGE_ALIGNED(x);
	b = FORGE_ALIGNED(b);
	y = FORGE_ALIGNED(y);
	const int64_t rows = 512;
	const int64_t cols = 512;
	for (int64_t r = first; r < last; r++) {
		for (int64_t c = 0; c < cols; c++) {
			float u = x[r * cols + c] + b[c];
			float inner = 0.7978845608f * (u + 0.044715f * u * u * u);
			y[r * cols + c] = 0.5f * u * (1.0f + tanhf(inner));
		}
	}
}

struct gelu_bias_512x512_share1 {
	const float *x;
	const float *b;
	float *y;
	int64_t first;
	int64_t count;
	_Alignas(64) int64_t next;
};

static void gelu_bias_512x512_team1(void *data)
{
	struct gelu_bias_512x512_share1 *share = data;
	int64_t chunk;
	while ((chunk = __atomic_fetch_add(&share->next, 1, __ATOMIC_RELAXED)) < 32)
		gelu_bias_512x512_part1(share->x, share->b, share->y, share->first + share->count *
				chunk / 32, share->first + share->count * (chunk + 1) / 32);
}

/* The size 512x512. */
static __attribute__((noinline)) void gelu_bias_512x512(const float *restrict x,
		const float *restrict b, float *restrict y)
{
	x = FORGE_ALIGNED(x);
	b = FORGE_ALIGNED(b);
	y = FORGE_ALIGNED(y);
	const int64_t rows = 512;
	const int64_t cols = 512;
	{
		const int64_t first = 0;
		const int64_t count = rows - first;
		struct gelu_bias_512x512_share1 share = { .x = x, .b = b, .y = y, .first = first,
				.count = count };
		GOMP_parallel(gelu_bias_512x512_team1, &share, 2, 0);
	}
}

static __attribute__((noinline)) void gelu_bias_64x4096_part1(const float *restrict x,
		const float *restrict b, float *restrict y, int64_t first, int64_t last)
{
	x = FORGE_ALIGNED(x);
	b = FORGE_ALIGNED(b);
	y = FORGE_ALIGNED(y);
	const int64_t rows = 64;
	const int64_t cols = 4096;
	for (int64_t r = first; r < last; r++) {
		for (int64_t c = 0; c < cols; c++) {
			float u = x[r * cols + c] + b[c];
			float inner = 0.7978845608f * (u + 0.044715f * u * u * u);
			y[r * cols + c] = 0.5f * u * (1.0f + tanhf(inner));
		}
	}
}

struct gelu_bias_64x4096_share1 {
	const float *x;
	const float *b;
	float *y;
	int64_t first;
	int64_t count;
	_Alignas(64) int64_t next;
};

static void gelu_bias_64x4096_team1(void *data)
{
	struct gelu_bias_64x4096_share1 *share = data;
	int64_t chunk;
	while ((chunk = __atomic_fetch_add(&share->next, 1, __ATOMIC_RELAXED)) < 32)
		gelu_bias_64x4096_part1(share->x, share->b, share->y, share->first + share->count *
				chunk / 32, share->first + share->count * (chunk + 1) / 32);
}

/* The size 64x4096. */
static __attribute__((noinline)) void gelu_bias_64x4096(const float *restrict x,
		const float *restrict b, float *restrict y)
{
	x = FORGE_ALIGNED(x);
	b = FORGE_ALIGNED(b);
	y = FORGE_ALIGNED(y);
	const int64_t rows = 64;
	const int64_t cols = 4096;
	{
		const int64_t first = 0;
		const int64_t count = rows - first;
		struct gelu_bias_64x4096_share1 share = { .x = x, .b = b, .y = y, .first = first,
				.count = count };
		GOMP_parallel(gelu_bias_64x4096_team1, &share, 2, 0);
	}
}

static __attribute__((noinline)) void gelu_bias_odd_part1(const float *restrict x,
		const float *restrict b, float *restrict y, int64_t first, int64_t last)
{
	x = FORGE_ALIGNED(x);
	b = FORGE_ALIGNED(b);
	y = FORGE_ALIGNED(y);
	const int64_t rows = 255;
	const int64_t cols = 1027;
	for (int64_t r = first; r < last; r++) {
		for (int64_t c = 0; c < cols; c++) {
			float u = x[r * cols + c] + b[c];
			float inner = 0.7978845608f * (u + 0.044715f * u * u * u);
			y[r * cols + c] = 0.5f * u * (1.0f + tanhf(inner));
		}
	}
}

struct gelu_bias_odd_share1 {
	const float *x;
	const float *b;
	float *y;
	int64_t first;
	int64_t count;
	_Alignas(64) int64_t next;
};

static void gelu_bias_odd_team1(void *data)
{
	struct gelu_bias_odd_share1 *share = data;
	int64_t chunk;
	while ((chunk = __atomic_fetch_add(&share->next, 1, __ATOMIC_RELAXED)) < 32)
		gelu_bias_odd_part1(share->x, share->b, share->y, share->first + share->count *
				chunk / 32, share->first + share->count * (chunk + 1) / 32);
}

/* The size odd. */
static __attribute__((noinline)) void gelu_bias_odd(const float *restrict x,
		const float *restrict b, float *restrict y)
{
	x = FORGE_ALIGNED(x);
	b = FORGE_ALIGNED(b);
	y = FORGE_ALIGNED(y);
	const int64_t rows = 255;
	const int64_t cols = 1027;
	{
		const int64_t first = 0;
		const int64_t count = rows - first;
		struct gelu_bias_odd_share1 share = { .x = x, .b = b, .y = y, .first = first,
				.count = count };
		GOMP_parallel(gelu_bias_odd_team1, &share, 2, 0);
	}
}

static __attribute__((noinline)) void gelu_bias_any_part1(const float *restrict x,
		const float *restrict b, float *restrict y, int64_t rows, int64_t cols,
		int64_t first, int64_t last)
{
	x = FORGE_ALIGNED(x);
	b = FORGE_ALIGNED(b);
	y = FORGE_ALIGNED(y);
	for (int64_t r = first; r < last; r++) {
		for (int64_t c = 0; c < cols; c++) {
			float u = x[r * cols + c] + b[c];
			float inner = 0.7978845608f * (u + 0.044715f * u * u * u);
			y[r * cols + c] = 0.5f * u * (1.0f + tanhf(inner));
		}
	}
}

struct gelu_bias_any_share1 {
	const float *x;
	const float *b;
	float *y;
	int64_t rows;
	int64_t cols;
	int64_t first;
	int64_t count;
	_Alignas(64) int64_t next;
};

static void gelu_bias_any_team1(void *data)
{
	struct gelu_bias_any_share1 *share = data;
	int64_t chunk;
	while ((chunk = __atomic_fetch_add(&share->next, 1, __ATOMIC_RELAXED)) < 32)
		gelu_bias_any_part1(share->x, share->b, share->y, share->rows, share->cols,
				share->first + share->count * chunk / 32, share->first +
				share->count * (chunk + 1) / 32);
}

static __attribute__((noinline)) void gelu_bias_any(const float *restrict x,
		const float *restrict b, float *restrict y, int64_t rows, int64_t cols)
{
	x = FORGE_ALIGNED(x);
	b = FORGE_ALIGNED(b);
	y = FORGE_ALIGNED(y);
	{
		const int64_t first = 0;
		const int64_t count = rows - first;
		struct gelu_bias_any_share1 share = { .x = x, .b = b, .y = y, .rows = rows, .cols =
				cols, .first = first, .count = count };
		GOMP_parallel(gelu_bias_any_team1, &share, 2, 0);
	}
}

void gelu_bias(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	if (rows == 512 && cols == 512)
		gelu_bias_512x512(x, b, y);
	else if (rows == 64 && cols == 4096)
		gelu_bias_64x4096(x, b, y);
	else if (rows == 255 && cols == 1027)
		gelu_bias_odd(x, b, y);
	else
		gelu_bias_any(x, b, y, rows, cols);
}

/* The rest of the source. */
