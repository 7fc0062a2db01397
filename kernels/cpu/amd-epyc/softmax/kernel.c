/*
 * forge-build: gcc -O3 -march=native -ffast-math
 * forge-rows: 1
 *   D0.1 build cc=gcc flags=-O3,-march=native,-ffast-math
 *   D0.1 specialise shapes=all
 *   D0.2 math exp=inline tanh=exp
 *   D0.3 threads loop=L0 n=2 layout=dynamic
 *
 * Written by forge-tuner from the reference, by the rows above.
 */
#include <forge/kernel.h>
#include <math.h>
#include <stdint.h>

/* What the rows apply to. Nothing calls it: a later search goes on from here. */
static __attribute__((unused))
void softmax_plain(const float *x, float *y, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++) {
		float top = x[r * cols];
		for (int64_t c = 1; c < cols; c++)
			top = x[r * cols + c] > top ? x[r * cols + c] : top;
		float sum = 0;
		for (int64_t c = 0; c < cols; c++) {
			y[r * cols + c] = expf(x[r * cols + c] - top);
			sum += y[r * cols + c];
		}
		for (int64_t c = 0; c < cols; c++)
			y[r * cols + c] = y[r * cols + c] / sum;
	}
}

/* What the rows made of it. */
/* 2^n * exp(r) with |r| <= ln(2)/2, the power added to the exponent's bits. */
static inline float forge_expf(float x)
{
	float c = x < -87.3365f ? -87.3365f : x;
	c = c > 88.7228f ? 88.7228f : c;
	float n = rintf(1.44269504f * c);
	float r = c - n * 0.693359375f + n * 2.12194440e-4f;
	float p = 1.9875691500e-4f;
	p = p * r + 1.3981999507e-3f;
	p = p * r + 8.3334519073e-3f;
	p = p * r + 4.1665795894e-2f;
	p = p * r + 1.6666665459e-1f;
	p = p * r + 5.0000001201e-1f;
	union {
		float value;
		uint32_t bits;
	} y = { p * (r * r) + r + 1.0f };
	y.bits += (uint32_t)(int32_t)n << 23;
	float low = x < -87.3365f ? 0.0f : y.value;
	return x > 88.7228f ? INFINITY : low;
}

void GOMP_parallel(void (*)(void *), void *, unsigned, unsigned);
int omp_get_thread_num(void);
int omp_get_num_threads(void);

static __attribute__((noinline)) void softmax_1024x512_part1(const float *restrict x,
		float *restrict y, int64_t first, int64_t last)
{
	x = FORGE_ALIGNED(x);
	y = FORGE_ALIGNED(y);
	const int64_t rows = 1024;
	const int64_t cols = 512;
	for (int64_t r = first; r < last; r++) {
		float top = x[r * cols];
		for (int64_t c = 1; c < cols; c++)
			top = x[r * cols + c] > top ? x[r * cols + c] : top;
		float sum = 0;
		for (int64_t c = 0; c < cols; c++) {
			y[r * cols + c] = forge_expf(x[r * cols + c] - top);
			sum += y[r * cols + c];
		}
		for (int64_t c = 0; c < cols; c++)
			y[r * cols + c] = y[r * cols + c] / sum;
	}
}

struct softmax_1024x512_share1 {
	const float *x;
	float *y;
	int64_t first;
	int64_t count;
	_Alignas(64) int64_t next;
};

static void softmax_1024x512_team1(void *data)
{
	struct softmax_1024x512_share1 *share = data;
	int64_t chunk;
	while ((chunk = __atomic_fetch_add(&share->next, 1, __ATOMIC_RELAXED)) < 32)
		softmax_1024x512_part1(share->x, share->y, share->first + share->count * chunk / 32,
				share->first + share->count * (chunk + 1) / 32);
}

/* The size 1024x512. */
static __attribute__((noinline)) void softmax_1024x512(const float *restrict x, float *restrict y)
{
	x = FORGE_ALIGNED(x);
	y = FORGE_ALIGNED(y);
	const int64_t rows = 1024;
	const int64_t cols = 512;
	{
		const int64_t first = 0;
		const int64_t count = rows - first;
		struct softmax_1024x512_share1 share = { .x = x, .y = y, .first = first, .count =
				count };
		GOMP_parallel(softmax_1024x512_team1, &share, 2, 0);
	}
}

static __attribute__((noinline)) void softmax_256x2048_part1(const float *restrict x,
		float *restrict y, int64_t first, int64_t last)
{
	x = FORGE_ALIGNED(x);
	y = FORGE_ALIGNED(y);
	const int64_t rows = 256;
	const int64_t cols = 2048;
	for (int64_t r = first; r < last; r++) {
		float top = x[r * cols];
		for (int64_t c = 1; c < cols; c++)
			top = x[r * cols + c] > top ? x[r * cols + c] : top;
		float sum = 0;
		for (int64_t c = 0; c < cols; c++) {
			y[r * cols + c] = forge_expf(x[r * cols + c] - top);
			sum += y[r * cols + c];
		}
		for (int64_t c = 0; c < cols; c++)
			y[r * cols + c] = y[r * cols + c] / sum;
	}
}

struct softmax_256x2048_share1 {
	const float *x;
	float *y;
	int64_t first;
	int64_t count;
	_Alignas(64) int64_t next;
};

static void softmax_256x2048_team1(void *data)
{
	struct softmax_256x2048_share1 *share = data;
	int64_t chunk;
	while ((chunk = __atomic_fetch_add(&share->next, 1, __ATOMIC_RELAXED)) < 32)
		softmax_256x2048_part1(share->x, share->y, share->first + share->count * chunk / 32,
				share->first + share->count * (chunk + 1) / 32);
}

/* The size 256x2048. */
static __attribute__((noinline)) void softmax_256x2048(const float *restrict x, float *restrict y)
{
	x = FORGE_ALIGNED(x);
	y = FORGE_ALIGNED(y);
	const int64_t rows = 256;
	const int64_t cols = 2048;
	{
		const int64_t first = 0;
		const int64_t count = rows - first;
		struct softmax_256x2048_share1 share = { .x = x, .y = y, .first = first, .count =
				count };
		GOMP_parallel(softmax_256x2048_team1, &share, 2, 0);
	}
}

static __attribute__((noinline)) void softmax_odd_part1(const float *restrict x, float *restrict y,
		int64_t first, int64_t last)
{
	x = FORGE_ALIGNED(x);
	y = FORGE_ALIGNED(y);
	const int64_t rows = 509;
	const int64_t cols = 1003;
	for (int64_t r = first; r < last; r++) {
		float top = x[r * cols];
		for (int64_t c = 1; c < cols; c++)
			top = x[r * cols + c] > top ? x[r * cols + c] : top;
		float sum = 0;
		for (int64_t c = 0; c < cols; c++) {
			y[r * cols + c] = forge_expf(x[r * cols + c] - top);
			sum += y[r * cols + c];
		}
		for (int64_t c = 0; c < cols; c++)
			y[r * cols + c] = y[r * cols + c] / sum;
	}
}

struct softmax_odd_share1 {
	const float *x;
	float *y;
	int64_t first;
	int64_t count;
	_Alignas(64) int64_t next;
};

static void softmax_odd_team1(void *data)
{
	struct softmax_odd_share1 *share = data;
	int64_t chunk;
	while ((chunk = __atomic_fetch_add(&share->next, 1, __ATOMIC_RELAXED)) < 32)
		softmax_odd_part1(share->x, share->y, share->first + share->count * chunk / 32,
				share->first + share->count * (chunk + 1) / 32);
}

/* The size odd. */
static __attribute__((noinline)) void softmax_odd(const float *restrict x, float *restrict y)
{
	x = FORGE_ALIGNED(x);
	y = FORGE_ALIGNED(y);
	const int64_t rows = 509;
	const int64_t cols = 1003;
	{
		const int64_t first = 0;
		const int64_t count = rows - first;
		struct softmax_odd_share1 share = { .x = x, .y = y, .first = first, .count =
				count };
		GOMP_parallel(softmax_odd_team1, &share, 2, 0);
	}
}

static __attribute__((noinline)) void softmax_any_part1(const float *restrict x, float *restrict y,
		int64_t rows, int64_t cols, int64_t first, int64_t last)
{
	x = FORGE_ALIGNED(x);
	y = FORGE_ALIGNED(y);
	for (int64_t r = first; r < last; r++) {
		float top = x[r * cols];
		for (int64_t c = 1; c < cols; c++)
			top = x[r * cols + c] > top ? x[r * cols + c] : top;
		float sum = 0;
		for (int64_t c = 0; c < cols; c++) {
			y[r * cols + c] = forge_expf(x[r * cols + c] - top);
			sum += y[r * cols + c];
		}
		for (int64_t c = 0; c < cols; c++)
			y[r * cols + c] = y[r * cols + c] / sum;
	}
}

struct softmax_any_share1 {
	const float *x;
	float *y;
	int64_t rows;
	int64_t cols;
	int64_t first;
	int64_t count;
	_Alignas(64) int64_t next;
};

static void softmax_any_team1(void *data)
{
	struct softmax_any_share1 *share = data;
	int64_t chunk;
	while ((chunk = __atomic_fetch_add(&share->next, 1, __ATOMIC_RELAXED)) < 32)
		softmax_any_part1(share->x, share->y, share->rows, share->cols, share->first +
				share->count * chunk / 32, share->first + share->count *
				(chunk + 1) / 32);
}

static __attribute__((noinline)) void softmax_any(const float *restrict x, float *restrict y,
		int64_t rows, int64_t cols)
{
	x = FORGE_ALIGNED(x);
	y = FORGE_ALIGNED(y);
	{
		const int64_t first = 0;
		const int64_t count = rows - first;
		struct softmax_any_share1 share = { .x = x, .y = y, .rows = rows, .cols = cols,
				.first = first, .count = count };
		GOMP_parallel(softmax_any_team1, &share, 2, 0);
	}
}

void softmax(const float *x, float *y, int64_t rows, int64_t cols)
{
	if (rows == 1024 && cols == 512)
		softmax_1024x512(x, y);
	else if (rows == 256 && cols == 2048)
		softmax_256x2048(x, y);
	else if (rows == 509 && cols == 1003)
		softmax_odd(x, y);
	else
		softmax_any(x, y, rows, cols);
}

/* The rest of the source. */
