/*
 * forge-build: clang -O3 -march=native -ffast-math -fveclib=libmvec
 * forge-rows: 1
 *   D0.1 build cc=clang flags=-O3,-march=native,-ffast-math,-fveclib=libmvec
 *   D0.1 specialise shapes=all
 *   D0.2 guard loop=L0.0 u=32
 *   D0.3 threads loop=L0 n=2 layout=dynamic
 *
 * Written by forge-tuner from the reference, by the rows above.
 */
#include <forge/kernel.h>
#include <stdint.h>

/* What the rows apply to. Nothing calls it: a later search goes on from here. */
static __attribute__((unused))
void argmax_rows_plain(const float *x, int32_t *index, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++) {
		float best = x[r * cols];
		int32_t where = 0;
		for (int64_t c = 1; c < cols; c++) {
			if (x[r * cols + c] > best) {
				best = x[r * cols + c];
				where = (int32_t)c;
			}
		}
		index[r] = where;
	}
}

/* What the rows made of it. */
void GOMP_parallel(void (*)(void *), void *, unsigned, unsigned);
int omp_get_thread_num(void);
int omp_get_num_threads(void);

static __attribute__((noinline)) void argmax_rows_1024x1024_part1(const float *restrict x,
		int32_t *restrict index, int64_t first, int64_t last)
{
	x = FORGE_ALIGNED(x);
	index = FORGE_ALIGNED(index);
	const int64_t rows = 1024;
	const int64_t cols = 1024;
	for (int64_t r = first; r < last; r++) {
		float best = x[r * cols];
		int32_t where = 0;
		for (int64_t c_block = 1; c_block < 993; c_block += 32) {
			int any = 0;
			for (int64_t c_asked = c_block; c_asked < c_block + 32; c_asked++)
				any |= x[r * cols + c_asked] > best;
			if (any)
				for (int64_t c = c_block; c < c_block + 32; c++) {
					if (x[r * cols + c] > best) {
						best = x[r * cols + c];
						where = (int32_t)c;
					}
				}
		}
		for (int64_t c = 993; c < cols; c++) {
			if (x[r * cols + c] > best) {
				best = x[r * cols + c];
				where = (int32_t)c;
			}
		}
		index[r] = where;
	}
}

struct argmax_rows_1024x1024_share1 {
	const float *x;
	int32_t *index;
	int64_t first;
	int64_t count;
	_Alignas(64) int64_t next;
};

static void argmax_rows_1024x1024_team1(void *data)
{
	struct argmax_rows_1024x1024_share1 *share = data;
	int64_t chunk;
	while ((chunk = __atomic_fetch_add(&share->next, 1, __ATOMIC_RELAXED)) < 32)
		argmax_rows_1024x1024_part1(share->x, share->index, share->first + share->count *
				chunk / 32, share->first + share->count * (chunk + 1) / 32);
}

/* The size 1024x1024. */
static __attribute__((noinline)) void argmax_rows_1024x1024(const float *restrict x,
		int32_t *restrict index)
{
	x = FORGE_ALIGNED(x);
	index = FORGE_ALIGNED(index);
	const int64_t rows = 1024;
	const int64_t cols = 1024;
	{
		const int64_t first = 0;
		const int64_t count = rows - first;
		struct argmax_rows_1024x1024_share1 share =
				{ .x = x, .index = index, .first = first, .count = count };
		GOMP_parallel(argmax_rows_1024x1024_team1, &share, 2, 0);
	}
}

static __attribute__((noinline)) void argmax_rows_256x4096_part1(const float *restrict x,
		int32_t *restrict index, int64_t first, int64_t last)
{
	x = FORGE_ALIGNED(x);
	index = FORGE_ALIGNED(index);
	const int64_t rows = 256;
	const int64_t cols = 4096;
	for (int64_t r = first; r < last; r++) {
		float best = x[r * cols];
		int32_t where = 0;
		for (int64_t c_block = 1; c_block < 4065; c_block += 32) {
			int any = 0;
			for (int64_t c_asked = c_block; c_asked < c_block + 32; c_asked++)
				any |= x[r * cols + c_asked] > best;
			if (any)
				for (int64_t c = c_block; c < c_block + 32; c++) {
					if (x[r * cols + c] > best) {
						best = x[r * cols + c];
						where = (int32_t)c;
					}
				}
		}
		for (int64_t c = 4065; c < cols; c++) {
			if (x[r * cols + c] > best) {
				best = x[r * cols + c];
				where = (int32_t)c;
			}
		}
		index[r] = where;
	}
}

struct argmax_rows_256x4096_share1 {
	const float *x;
	int32_t *index;
	int64_t first;
	int64_t count;
	_Alignas(64) int64_t next;
};

static void argmax_rows_256x4096_team1(void *data)
{
	struct argmax_rows_256x4096_share1 *share = data;
	int64_t chunk;
	while ((chunk = __atomic_fetch_add(&share->next, 1, __ATOMIC_RELAXED)) < 32)
		argmax_rows_256x4096_part1(share->x, share->index, share->first + share->count *
				chunk / 32, share->first + share->count * (chunk + 1) / 32);
}

/* The size 256x4096. */
static __attribute__((noinline)) void argmax_rows_256x4096(const float *restrict x,
		int32_t *restrict index)
{
	x = FORGE_ALIGNED(x);
	index = FORGE_ALIGNED(index);
	const int64_t rows = 256;
	const int64_t cols = 4096;
	{
		const int64_t first = 0;
		const int64_t count = rows - first;
		struct argmax_rows_256x4096_share1 share = { .x = x, .index = index, .first = first,
				.count = count };
		GOMP_parallel(argmax_rows_256x4096_team1, &share, 2, 0);
	}
}

static __attribute__((noinline)) void argmax_rows_odd_part1(const float *restrict x,
		int32_t *restrict index, int64_t first, int64_t last)
{
	x = FORGE_ALIGNED(x);
	index = FORGE_ALIGNED(index);
	const int64_t rows = 1023;
	const int64_t cols = 1021;
	for (int64_t r = first; r < last; r++) {
		float best = x[r * cols];
		int32_t where = 0;
		for (int64_t c_block = 1; c_block < 993; c_block += 32) {
			int any = 0;
			for (int64_t c_asked = c_block; c_asked < c_block + 32; c_asked++)
				any |= x[r * cols + c_asked] > best;
			if (any)
				for (int64_t c = c_block; c < c_block + 32; c++) {
					if (x[r * cols + c] > best) {
						best = x[r * cols + c];
						where = (int32_t)c;
					}
				}
		}
		for (int64_t c = 993; c < cols; c++) {
			if (x[r * cols + c] > best) {
				best = x[r * cols + c];
				where = (int32_t)c;
			}
		}
		index[r] = where;
	}
}

struct argmax_rows_odd_share1 {
	const float *x;
	int32_t *index;
	int64_t first;
	int64_t count;
	_Alignas(64) int64_t next;
};

static void argmax_rows_odd_team1(void *data)
{
	struct argmax_rows_odd_share1 *share = data;
	int64_t chunk;
	while ((chunk = __atomic_fetch_add(&share->next, 1, __ATOMIC_RELAXED)) < 32)
		argmax_rows_odd_part1(share->x, share->index, share->first + share->count * chunk /
				32, share->first + share->count * (chunk + 1) / 32);
}

/* The size odd. */
static __attribute__((noinline)) void argmax_rows_odd(const float *restrict x,
		int32_t *restrict index)
{
	x = FORGE_ALIGNED(x);
	index = FORGE_ALIGNED(index);
	const int64_t rows = 1023;
	const int64_t cols = 1021;
	{
		const int64_t first = 0;
		const int64_t count = rows - first;
		struct argmax_rows_odd_share1 share = { .x = x, .index = index, .first = first,
				.count = count };
		GOMP_parallel(argmax_rows_odd_team1, &share, 2, 0);
	}
}

static __attribute__((noinline)) void argmax_rows_any_part1(const float *restrict x,
		int32_t *restrict index, int64_t rows, int64_t cols, int64_t first, int64_t last)
{
	x = FORGE_ALIGNED(x);
	index = FORGE_ALIGNED(index);
	for (int64_t r = first; r < last; r++) {
		float best = x[r * cols];
		int32_t where = 0;
		for (int64_t c_block = 1; c_block < 1 + (cols - 1) / 32 * 32; c_block += 32) {
			int any = 0;
			for (int64_t c_asked = c_block; c_asked < c_block + 32; c_asked++)
				any |= x[r * cols + c_asked] > best;
			if (any)
				for (int64_t c = c_block; c < c_block + 32; c++) {
					if (x[r * cols + c] > best) {
						best = x[r * cols + c];
						where = (int32_t)c;
					}
				}
		}
		for (int64_t c = 1 + (cols - 1) / 32 * 32; c < cols; c++) {
			if (x[r * cols + c] > best) {
				best = x[r * cols + c];
				where = (int32_t)c;
			}
		}
		index[r] = where;
	}
}

struct argmax_rows_any_share1 {
	const float *x;
	int32_t *index;
	int64_t rows;
	int64_t cols;
	int64_t first;
	int64_t count;
	_Alignas(64) int64_t next;
};

static void argmax_rows_any_team1(void *data)
{
	struct argmax_rows_any_share1 *share = data;
	int64_t chunk;
	while ((chunk = __atomic_fetch_add(&share->next, 1, __ATOMIC_RELAXED)) < 32)
		argmax_rows_any_part1(share->x, share->index, share->rows, share->cols,
				share->first + share->count * chunk / 32, share->first +
				share->count * (chunk + 1) / 32);
}

static __attribute__((noinline)) void argmax_rows_any(const float *restrict x,
		int32_t *restrict index, int64_t rows, int64_t cols)
{
	x = FORGE_ALIGNED(x);
	index = FORGE_ALIGNED(index);
	{
		const int64_t first = 0;
		const int64_t count = rows - first;
		struct argmax_rows_any_share1 share = { .x = x, .index = index, .rows = rows,
				.cols = cols, .first = first, .count = count };
		GOMP_parallel(argmax_rows_any_team1, &share, 2, 0);
	}
}

void argmax_rows(const float *x, int32_t *index, int64_t rows, int64_t cols)
{
	if (rows == 1024 && cols == 1024)
		argmax_rows_1024x1024(x, index);
	else if (rows == 256 && cols == 4096)
		argmax_rows_256x4096(x, index);
	else if (rows == 1023 && cols == 1021)
		argmax_rows_odd(x, index);
	else
		argmax_rows_any(x, index, rows, cols);
}

/* The rest of the source. */
