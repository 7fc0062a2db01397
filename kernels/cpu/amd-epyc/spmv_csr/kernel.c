/*
 * forge-build: clang -O3 -march=native -ffast-math
 * forge-rows: 1
 *   D1.1 build cc=clang flags=-O3,-march=native,-ffast-math
 *   D0.1 specialise shapes=all
 *   D0.2 threads loop=L0 n=2 layout=dynamic
 *
 * Written by forge-tuner from the reference, by the rows above.
 */
#include <forge/kernel.h>
#include <stdint.h>

/* What the rows apply to. Nothing calls it: a later search goes on from here. */
static __attribute__((unused))
void spmv_csr_plain(const int32_t *start, const int32_t *col, const float *val, const float *x, float *y,
	      int64_t rows, int64_t cols, int64_t nnz)
{
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t p = start[r]; p < start[r + 1]; p++)
			sum += val[p] * x[col[p]];
		y[r] = sum;
	}
}

/* What the rows made of it. */
void GOMP_parallel(void (*)(void *), void *, unsigned, unsigned);
int omp_get_thread_num(void);
int omp_get_num_threads(void);

static __attribute__((noinline)) void spmv_csr_16384_nnz262144_part1(const int32_t *restrict start,
		const int32_t *restrict col, const float *restrict val, const float *restrict x,
		float *restrict y, int64_t first, int64_t last)
{
	start = FORGE_ALIGNED(start);
	col = FORGE_ALIGNED(col);
	val = FORGE_ALIGNED(val);
	x = FORGE_ALIGNED(x);
	y = FORGE_ALIGNED(y);
	const int64_t rows = 16384;
	for (int64_t r = first; r < last; r++) {
		float sum = 0;
		for (int64_t p = start[r]; p < start[r + 1]; p++)
			sum += val[p] * x[col[p]];
		y[r] = sum;
	}
}

struct spmv_csr_16384_nnz262144_share1 {
	const int32_t *start;
	const int32_t *col;
	const float *val;
	const float *x;
	float *y;
	int64_t first;
	int64_t count;
	_Alignas(64) int64_t next;
};

static void spmv_csr_16384_nnz262144_team1(void *data)
{
	struct spmv_csr_16384_nnz262144_share1 *share = data;
	int64_t chunk;
	while ((chunk = __atomic_fetch_add(&share->next, 1, __ATOMIC_RELAXED)) < 32)
		spmv_csr_16384_nnz262144_part1(share->start, share->col, share->val, share->x,
				share->y, share->first + share->count * chunk / 32, share->first +
				share->count * (chunk + 1) / 32);
}

/* The size 16384-nnz262144. */
static __attribute__((noinline)) void spmv_csr_16384_nnz262144(const int32_t *restrict start,
		const int32_t *restrict col, const float *restrict val, const float *restrict x,
		float *restrict y)
{
	start = FORGE_ALIGNED(start);
	col = FORGE_ALIGNED(col);
	val = FORGE_ALIGNED(val);
	x = FORGE_ALIGNED(x);
	y = FORGE_ALIGNED(y);
	const int64_t rows = 16384;
	{
		const int64_t first = 0;
		const int64_t count = rows - first;
		struct spmv_csr_16384_nnz262144_share1 share =
				{ .start = start, .col = col, .val = val, .x = x, .y = y, .first =
				first, .count = count };
		GOMP_parallel(spmv_csr_16384_nnz262144_team1, &share, 2, 0);
	}
}

static __attribute__((noinline)) void spmv_csr_4096_nnz524288_part1(const int32_t *restrict start,
		const int32_t *restrict col, const float *restrict val, const float *restrict x,
		float *restrict y, int64_t first, int64_t last)
{
	start = FORGE_ALIGNED(start);
	col = FORGE_ALIGNED(col);
	val = FORGE_ALIGNED(val);
	x = FORGE_ALIGNED(x);
	y = FORGE_ALIGNED(y);
	const int64_t rows = 4096;
	for (int64_t r = first; r < last; r++) {
		float sum = 0;
		for (int64_t p = start[r]; p < start[r + 1]; p++)
			sum += val[p] * x[col[p]];
		y[r] = sum;
	}
}

struct spmv_csr_4096_nnz524288_share1 {
	const int32_t *start;
	const int32_t *col;
	const float *val;
	const float *x;
	float *y;
	int64_t first;
	int64_t count;
	_Alignas(64) int64_t next;
};

static void spmv_csr_4096_nnz524288_team1(void *data)
{
	struct spmv_csr_4096_nnz524288_share1 *share = data;
	int64_t chunk;
	while ((chunk = __atomic_fetch_add(&share->next, 1, __ATOMIC_RELAXED)) < 32)
		spmv_csr_4096_nnz524288_part1(share->start, share->col, share->val, share->x,
				share->y, share->first + share->count * chunk / 32, share->first +
				share->count * (chunk + 1) / 32);
}

/* The size 4096-nnz524288. */
static __attribute__((noinline)) void spmv_csr_4096_nnz524288(const int32_t *restrict start,
		const int32_t *restrict col, const float *restrict val, const float *restrict x,
		float *restrict y)
{
	start = FORGE_ALIGNED(start);
	col = FORGE_ALIGNED(col);
	val = FORGE_ALIGNED(val);
	x = FORGE_ALIGNED(x);
	y = FORGE_ALIGNED(y);
	const int64_t rows = 4096;
	{
		const int64_t first = 0;
		const int64_t count = rows - first;
		struct spmv_csr_4096_nnz524288_share1 share =
				{ .start = start, .col = col, .val = val, .x = x, .y = y, .first =
				first, .count = count };
		GOMP_parallel(spmv_csr_4096_nnz524288_team1, &share, 2, 0);
	}
}

static __attribute__((noinline)) void spmv_csr_odd_part1(const int32_t *restrict start,
		const int32_t *restrict col, const float *restrict val, const float *restrict x,
		float *restrict y, int64_t first, int64_t last)
{
	start = FORGE_ALIGNED(start);
	col = FORGE_ALIGNED(col);
	val = FORGE_ALIGNED(val);
	x = FORGE_ALIGNED(x);
	y = FORGE_ALIGNED(y);
	const int64_t rows = 20011;
	for (int64_t r = first; r < last; r++) {
		float sum = 0;
		for (int64_t p = start[r]; p < start[r + 1]; p++)
			sum += val[p] * x[col[p]];
		y[r] = sum;
	}
}

struct spmv_csr_odd_share1 {
	const int32_t *start;
	const int32_t *col;
	const float *val;
	const float *x;
	float *y;
	int64_t first;
	int64_t count;
	_Alignas(64) int64_t next;
};

static void spmv_csr_odd_team1(void *data)
{
	struct spmv_csr_odd_share1 *share = data;
	int64_t chunk;
	while ((chunk = __atomic_fetch_add(&share->next, 1, __ATOMIC_RELAXED)) < 32)
		spmv_csr_odd_part1(share->start, share->col, share->val, share->x, share->y,
				share->first + share->count * chunk / 32, share->first +
				share->count * (chunk + 1) / 32);
}

/* The size odd. */
static __attribute__((noinline)) void spmv_csr_odd(const int32_t *restrict start,
		const int32_t *restrict col, const float *restrict val, const float *restrict x,
		float *restrict y)
{
	start = FORGE_ALIGNED(start);
	col = FORGE_ALIGNED(col);
	val = FORGE_ALIGNED(val);
	x = FORGE_ALIGNED(x);
	y = FORGE_ALIGNED(y);
	const int64_t rows = 20011;
	{
		const int64_t first = 0;
		const int64_t count = rows - first;
		struct spmv_csr_odd_share1 share = { .start = start, .col = col, .val = val, .x = x,
				.y = y, .first = first, .count = count };
		GOMP_parallel(spmv_csr_odd_team1, &share, 2, 0);
	}
}

static __attribute__((noinline)) void spmv_csr_any_part1(const int32_t *restrict start,
		const int32_t *restrict col, const float *restrict val, const float *restrict x,
		float *restrict y, int64_t rows, int64_t first, int64_t last)
{
	start = FORGE_ALIGNED(start);
	col = FORGE_ALIGNED(col);
	val = FORGE_ALIGNED(val);
	x = FORGE_ALIGNED(x);
	y = FORGE_ALIGNED(y);
	for (int64_t r = first; r < last; r++) {
		float sum = 0;
		for (int64_t p = start[r]; p < start[r + 1]; p++)
			sum += val[p] * x[col[p]];
		y[r] = sum;
	}
}

struct spmv_csr_any_share1 {
	const int32_t *start;
	const int32_t *col;
	const float *val;
	const float *x;
	float *y;
	int64_t rows;
	int64_t first;
	int64_t count;
	_Alignas(64) int64_t next;
};

static void spmv_csr_any_team1(void *data)
{
	struct spmv_csr_any_share1 *share = data;
	int64_t chunk;
	while ((chunk = __atomic_fetch_add(&share->next, 1, __ATOMIC_RELAXED)) < 32)
		spmv_csr_any_part1(share->start, share->col, share->val, share->x, share->y,
				share->rows, share->first + share->count * chunk / 32,
				share->first + share->count * (chunk + 1) / 32);
}

static __attribute__((noinline)) void spmv_csr_any(const int32_t *restrict start,
		const int32_t *restrict col, const float *restrict val, const float *restrict x,
		float *restrict y, int64_t rows, int64_t cols, int64_t nnz)
{
	start = FORGE_ALIGNED(start);
	col = FORGE_ALIGNED(col);
	val = FORGE_ALIGNED(val);
	x = FORGE_ALIGNED(x);
	y = FORGE_ALIGNED(y);
	{
		const int64_t first = 0;
		const int64_t count = rows - first;
		struct spmv_csr_any_share1 share = { .start = start, .col = col, .val = val, .x = x,
				.y = y, .rows = rows, .first = first, .count = count };
		GOMP_parallel(spmv_csr_any_team1, &share, 2, 0);
	}
}

void spmv_csr(const int32_t *start, const int32_t *col, const float *val, const float *x, float *y,
		int64_t rows, int64_t cols, int64_t nnz)
{
	if (rows == 16384 && cols == 16384 && nnz == 262144)
		spmv_csr_16384_nnz262144(start, col, val, x, y);
	else if (rows == 4096 && cols == 32768 && nnz == 524288)
		spmv_csr_4096_nnz524288(start, col, val, x, y);
	else if (rows == 20011 && cols == 9973 && nnz == 250007)
		spmv_csr_odd(start, col, val, x, y);
	else
		spmv_csr_any(start, col, val, x, y, rows, cols, nnz);
}

/* The rest of the source. */
