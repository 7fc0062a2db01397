/*
 * forge-build: clang -O3 -march=native -ffast-math -fveclib=libmvec
 * forge-rows: 1
 *   D0.1 build cc=clang flags=-O3,-march=native,-ffast-math,-fveclib=libmvec
 *   D0.1 specialise shapes=all
 *   D0.2 threads loop=L0 n=2 layout=dynamic
 *
 * Written by forge-tuner from the reference, by the rows above.
 */
#include <forge/kernel.h>
#include <math.h>
#include <stdint.h>

/* What the rows apply to. Nothing calls it: a later search goes on from here. */
static __attribute__((unused))
void layernorm_plain(const float *x, const float *gamma, const float *beta, float *y, int64_t rows,
	       int64_t cols, float eps)
{
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += x[r * cols + c];
		float mean = sum / (float)cols;
		float squares = 0;
		for (int64_t c = 0; c < cols; c++)
			squares += (x[r * cols + c] - mean) * (x[r * cols + c] - mean);
		float scale = 1.0f / sqrtf(squares / (float)cols + eps);
		for (int64_t c = 0; c < cols; c++)
			y[r * cols + c] = (x[r * cols + c] - mean) * scale * gamma[c] + beta[c];
	}
}

/* What the rows made of it. */
void GOMP_parallel(void (*)(void *), void *, unsigned, unsigned);
int omp_get_thread_num(void);
int omp_get_num_threads(void);

static __attribute__((noinline)) void layernorm_1024x768_part1(const float *restrict x,
		const float *restrict gamma, const float *restrict beta, float *restrict y,
		float eps, int64_t first, int64_t last)
{
	x = FORGE_ALIGNED(x);
	gamma = FORGE_ALIGNED(gamma);
	beta = FORGE_ALIGNED(beta);
	y = FORGE_ALIGNED(y);
	const int64_t rows = 1024;
	const int64_t cols = 768;
	for (int64_t r = first; r < last; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += x[r * cols + c];
		float mean = sum / (float)cols;
		float squares = 0;
		for (int64_t c = 0; c < cols; c++)
			squares += (x[r * cols + c] - mean) * (x[r * cols + c] - mean);
		float scale = 1.0f / sqrtf(squares / (float)cols + eps);
		for (int64_t c = 0; c < cols; c++)
			y[r * cols + c] = (x[r * cols + c] - mean) * scale * gamma[c] + beta[c];
	}
}

struct layernorm_1024x768_share1 {
	const float *x;
	const float *gamma;
	const float *beta;
	float *y;
	float eps;
	int64_t first;
	int64_t count;
	_Alignas(64) int64_t next;
};

static void layernorm_1024x768_team1(void *data)
{
	struct layernorm_1024x768_share1 *share = data;
	int64_t chunk;
	while ((chunk = __atomic_fetch_add(&share->next, 1, __ATOMIC_RELAXED)) < 32)
		layernorm_1024x768_part1(share->x, share->gamma, share->beta, share->y, share->eps,
				share->first + share->count * chunk / 32, share->first +
				share->count * (chunk + 1) / 32);
}

/* The size 1024x768. */
static __attribute__((noinline)) void layernorm_1024x768(const float *restrict x,
		const float *restrict gamma, const float *restrict beta, float *restrict y,
		float eps)
{
	x = FORGE_ALIGNED(x);
	gamma = FORGE_ALIGNED(gamma);
	beta = FORGE_ALIGNED(beta);
	y = FORGE_ALIGNED(y);
	const int64_t rows = 1024;
	const int64_t cols = 768;
	{
		const int64_t first = 0;
		const int64_t count = rows - first;
		struct layernorm_1024x768_share1 share = { .x = x, .gamma = gamma, .beta = beta,
				.y = y, .eps = eps, .first = first, .count = count };
		GOMP_parallel(layernorm_1024x768_team1, &share, 2, 0);
	}
}

static __attribute__((noinline)) void layernorm_512x2048_part1(const float *restrict x,
		const float *restrict gamma, const float *restrict beta, float *restrict y,
		float eps, int64_t first, int64_t last)
{
	x = FORGE_ALIGNED(x);
	gamma = FORGE_ALIGNED(gamma);
	beta = FORGE_ALIGNED(beta);
	y = FORGE_ALIGNED(y);
	const int64_t rows = 512;
	const int64_t cols = 2048;
	for (int64_t r = first; r < last; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += x[r * cols + c];
		float mean = sum / (float)cols;
		float squares = 0;
		for (int64_t c = 0; c < cols; c++)
			squares += (x[r * cols + c] - mean) * (x[r * cols + c] - mean);
		float scale = 1.0f / sqrtf(squares / (float)cols + eps);
		for (int64_t c = 0; c < cols; c++)
			y[r * cols + c] = (x[r * cols + c] - mean) * scale * gamma[c] + beta[c];
	}
}

struct layernorm_512x2048_share1 {
	const float *x;
	const float *gamma;
	const float *beta;
	float *y;
	float eps;
	int64_t first;
	int64_t count;
	_Alignas(64) int64_t next;
};

static void layernorm_512x2048_team1(void *data)
{
	struct layernorm_512x2048_share1 *share = data;
	int64_t chunk;
	while ((chunk = __atomic_fetch_add(&share->next, 1, __ATOMIC_RELAXED)) < 32)
		layernorm_512x2048_part1(share->x, share->gamma, share->beta, share->y, share->eps,
				share->first + share->count * chunk / 32, share->first +
				share->count * (chunk + 1) / 32);
}

/* The size 512x2048. */
static __attribute__((noinline)) void layernorm_512x2048(const float *restrict x,
		const float *restrict gamma, const float *restrict beta, float *restrict y,
		float eps)
{
	x = FORGE_ALIGNED(x);
	gamma = FORGE_ALIGNED(gamma);
	beta = FORGE_ALIGNED(beta);
	y = FORGE_ALIGNED(y);
	const int64_t rows = 512;
	const int64_t cols = 2048;
	{
		const int64_t first = 0;
		const int64_t count = rows - first;
		struct layernorm_512x2048_share1 share = { .x = x, .gamma = gamma, .beta = beta,
				.y = y, .eps = eps, .first = first, .count = count };
		GOMP_parallel(layernorm_512x2048_team1, &share, 2, 0);
	}
}

static __attribute__((noinline)) void layernorm_odd_part1(const float *restrict x,
		const float *restrict gamma, const float *restrict beta, float *restrict y,
		float eps, int64_t first, int64_t last)
{
	x = FORGE_ALIGNED(x);
	gamma = FORGE_ALIGNED(gamma);
	beta = FORGE_ALIGNED(beta);
	y = FORGE_ALIGNED(y);
	const int64_t rows = 1021;
	const int64_t cols = 515;
	for (int64_t r = first; r < last; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += x[r * cols + c];
		float mean = sum / (float)cols;
		float squares = 0;
		for (int64_t c = 0; c < cols; c++)
			squares += (x[r * cols + c] - mean) * (x[r * cols + c] - mean);
		float scale = 1.0f / sqrtf(squares / (float)cols + eps);
		for (int64_t c = 0; c < cols; c++)
			y[r * cols + c] = (x[r * cols + c] - mean) * scale * gamma[c] + beta[c];
	}
}

struct layernorm_odd_share1 {
	const float *x;
	const float *gamma;
	const float *beta;
	float *y;
	float eps;
	int64_t first;
	int64_t count;
	_Alignas(64) int64_t next;
};

static void layernorm_odd_team1(void *data)
{
	struct layernorm_odd_share1 *share = data;
	int64_t chunk;
	while ((chunk = __atomic_fetch_add(&share->next, 1, __ATOMIC_RELAXED)) < 32)
		layernorm_odd_part1(share->x, share->gamma, share->beta, share->y, share->eps,
				share->first + share->count * chunk / 32, share->first +
				share->count * (chunk + 1) / 32);
}

/* The size odd. */
static __attribute__((noinline)) void layernorm_odd(const float *restrict x,
		const float *restrict gamma, const float *restrict beta, float *restrict y,
		float eps)
{
	x = FORGE_ALIGNED(x);
	gamma = FORGE_ALIGNED(gamma);
	beta = FORGE_ALIGNED(beta);
	y = FORGE_ALIGNED(y);
	const int64_t rows = 1021;
	const int64_t cols = 515;
	{
		const int64_t first = 0;
		const int64_t count = rows - first;
		struct layernorm_odd_share1 share = { .x = x, .gamma = gamma, .beta = beta, .y = y,
				.eps = eps, .first = first, .count = count };
		GOMP_parallel(layernorm_odd_team1, &share, 2, 0);
	}
}

static __attribute__((noinline)) void layernorm_any_part1(const float *restrict x,
		const float *restrict gamma, const float *restrict beta, float *restrict y,
		int64_t rows, int64_t cols, float eps, int64_t first, int64_t last)
{
	x = FORGE_ALIGNED(x);
	gamma = FORGE_ALIGNED(gamma);
	beta = FORGE_ALIGNED(beta);
	y = FORGE_ALIGNED(y);
	for (int64_t r = first; r < last; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += x[r * cols + c];
		float mean = sum / (float)cols;
		float squares = 0;
		for (int64_t c = 0; c < cols; c++)
			squares += (x[r * cols + c] - mean) * (x[r * cols + c] - mean);
		float scale = 1.0f / sqrtf(squares / (float)cols + eps);
		for (int64_t c = 0; c < cols; c++)
			y[r * cols + c] = (x[r * cols + c] - mean) * scale * gamma[c] + beta[c];
	}
}

struct layernorm_any_share1 {
	const float *x;
	const float *gamma;
	const float *beta;
	float *y;
	int64_t rows;
	int64_t cols;
	float eps;
	int64_t first;
	int64_t count;
	_Alignas(64) int64_t next;
};

static void layernorm_any_team1(void *data)
{
	struct layernorm_any_share1 *share = data;
	int64_t chunk;
	while ((chunk = __atomic_fetch_add(&share->next, 1, __ATOMIC_RELAXED)) < 32)
		layernorm_any_part1(share->x, share->gamma, share->beta, share->y, share->rows,
				share->cols, share->eps, share->first + share->count * chunk / 32,
				share->first + share->count * (chunk + 1) / 32);
}

static __attribute__((noinline)) void layernorm_any(const float *restrict x,
		const float *restrict gamma, const float *restrict beta, float *restrict y,
		int64_t rows, int64_t cols, float eps)
{
	x = FORGE_ALIGNED(x);
	gamma = FORGE_ALIGNED(gamma);
	beta = FORGE_ALIGNED(beta);
	y = FORGE_ALIGNED(y);
	{
		const int64_t first = 0;
		const int64_t count = rows - first;
		struct layernorm_any_share1 share = { .x = x, .gamma = gamma, .beta = beta, .y = y,
				.rows = rows, .cols = cols, .eps = eps, .first = first, .count =
				count };
		GOMP_parallel(layernorm_any_team1, &share, 2, 0);
	}
}

void layernorm(const float *x, const float *gamma, const float *beta, float *y, int64_t rows,
		int64_t cols, float eps)
{
	if (rows == 1024 && cols == 768)
		layernorm_1024x768(x, gamma, beta, y, eps);
	else if (rows == 512 && cols == 2048)
		layernorm_512x2048(x, gamma, beta, y, eps);
	else if (rows == 1021 && cols == 515)
		layernorm_odd(x, gamma, beta, y, eps);
	else
		layernorm_any(x, gamma, beta, y, rows, cols, eps);
}

/* The rest of the source. */
