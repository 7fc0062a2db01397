/*
 * forge-build: gcc -O3 -march=native -ffast-math
 * forge-rows: 1
 *   D0.1 build cc=gcc flags=-O3,-march=native,-ffast-math
 *   D0.1 specialise shapes=all
 *   D0.2 sink loop=L0.1 u=16 as=lanes rest=beyond
 *   D0.3 threads loop=L0 n=2 layout=block
 *   D1.1 vectors bits=256
 *   D1.2 stream array=y
 *
 * Written by forge-tuner from the reference, by the rows above.
 */
#include <forge/kernel.h>
#include <math.h>
#include <stdint.h>

/* What the rows apply to. Nothing calls it: a later search goes on from here. */
static __attribute__((unused))
void rmsnorm_plain(const float *x, const float *w, float *y, int64_t rows, int64_t cols, float eps)
{
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += x[r * cols + c] * x[r * cols + c];
		float scale = 1.0f / sqrtf(sum / (float)cols + eps);
		for (int64_t c = 0; c < cols; c++)
			y[r * cols + c] = x[r * cols + c] * scale * w[c];
	}
}

/* What the rows made of it. */
typedef __attribute__((vector_size(32))) float forge_v8f;
typedef __attribute__((vector_size(32), aligned(4), may_alias)) float forge_u8f;

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

void GOMP_parallel(void (*)(void *), void *, unsigned, unsigned);
int omp_get_thread_num(void);
int omp_get_num_threads(void);

static __attribute__((noinline)) void rmsnorm_1024x1024_part1(const float *restrict x,
		const float *restrict w, float *restrict y, float eps, int64_t first, int64_t last)
{
	x = FORGE_ALIGNED(x);
	w = FORGE_ALIGNED(w);
	y = FORGE_ALIGNED(y);
	const int64_t rows = 1024;
	const int64_t cols = 1024;
	for (int64_t r = first; r < last; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += x[r * cols + c] * x[r * cols + c];
		float scale = 1.0f / sqrtf(sum / (float)cols + eps);
		for (int64_t c = 0; c < cols; c += 16) {
			forge_stream_8f(&y[r * cols + c], *(const forge_u8f *)&x[r * cols + c] *
					scale * *(const forge_u8f *)&w[c]);
			forge_stream_8f(&y[r * cols + (c + 8)],
					*(const forge_u8f *)&x[r * cols + (c + 8)] * scale *
					*(const forge_u8f *)&w[c + 8]);
		}
	}
}

struct rmsnorm_1024x1024_share1 {
	const float *x;
	const float *w;
	float *y;
	float eps;
	int64_t first;
	int64_t count;
};

static void rmsnorm_1024x1024_team1(void *data)
{
	struct rmsnorm_1024x1024_share1 *share = data;
	for (int64_t chunk = omp_get_thread_num(); chunk < 2; chunk += omp_get_num_threads())
		rmsnorm_1024x1024_part1(share->x, share->w, share->y, share->eps, share->first +
				share->count * chunk / 2, share->first + share->count *
				(chunk + 1) / 2);
}

/* The size 1024x1024. */
static __attribute__((noinline)) void rmsnorm_1024x1024(const float *restrict x,
		const float *restrict w, float *restrict y, float eps)
{
	x = FORGE_ALIGNED(x);
	w = FORGE_ALIGNED(w);
	y = FORGE_ALIGNED(y);
	const int64_t rows = 1024;
	const int64_t cols = 1024;
	{
		const int64_t first = 0;
		const int64_t count = rows - first;
		struct rmsnorm_1024x1024_share1 share = { .x = x, .w = w, .y = y, .eps = eps,
				.first = first, .count = count };
		GOMP_parallel(rmsnorm_1024x1024_team1, &share, 2, 0);
	}
	__builtin_ia32_sfence();
}

static __attribute__((noinline)) void rmsnorm_2048x512_part1(const float *restrict x,
		const float *restrict w, float *restrict y, float eps, int64_t first, int64_t last)
{
	x = FORGE_ALIGNED(x);
	w = FORGE_ALIGNED(w);
	y = FORGE_ALIGNED(y);
	const int64_t rows = 2048;
	const int64_t cols = 512;
	for (int64_t r = first; r < last; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += x[r * cols + c] * x[r * cols + c];
		float scale = 1.0f / sqrtf(sum / (float)cols + eps);
		for (int64_t c = 0; c < cols; c += 16) {
			forge_stream_8f(&y[r * cols + c], *(const forge_u8f *)&x[r * cols + c] *
					scale * *(const forge_u8f *)&w[c]);
			forge_stream_8f(&y[r * cols + (c + 8)],
					*(const forge_u8f *)&x[r * cols + (c + 8)] * scale *
					*(const forge_u8f *)&w[c + 8]);
		}
	}
}

struct rmsnorm_2048x512_share1 {
	const float *x;
	const float *w;
	float *y;
	float eps;
	int64_t first;
	int64_t count;
};

static void rmsnorm_2048x512_team1(void *data)
{
	struct rmsnorm_2048x512_share1 *share = data;
	for (int64_t chunk = omp_get_thread_num(); chunk < 2; chunk += omp_get_num_threads())
		rmsnorm_2048x512_part1(share->x, share->w, share->y, share->eps, share->first +
				share->count * chunk / 2, share->first + share->count *
				(chunk + 1) / 2);
}

/* The size 2048x512. */
static __attribute__((noinline)) void rmsnorm_2048x512(const float *restrict x,
		const float *restrict w, float *restrict y, float eps)
{
	x = FORGE_ALIGNED(x);
	w = FORGE_ALIGNED(w);
	y = FORGE_ALIGNED(y);
	const int64_t rows = 2048;
	const int64_t cols = 512;
	{
		const int64_t first = 0;
		const int64_t count = rows - first;
		struct rmsnorm_2048x512_share1 share = { .x = x, .w = w, .y = y, .eps = eps,
				.first = first, .count = count };
		GOMP_parallel(rmsnorm_2048x512_team1, &share, 2, 0);
	}
	__builtin_ia32_sfence();
}

static __attribute__((noinline)) void rmsnorm_odd_part1(const float *restrict x,
		const float *restrict w, float *restrict y, float eps, int64_t first, int64_t last)
{
	x = FORGE_ALIGNED(x);
	w = FORGE_ALIGNED(w);
	y = FORGE_ALIGNED(y);
	const int64_t rows = 1023;
	const int64_t cols = 769;
	for (int64_t r = first; r < last; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += x[r * cols + c] * x[r * cols + c];
		float scale = 1.0f / sqrtf(sum / (float)cols + eps);
		for (int64_t c = 0; c < 768; c += 16) {
			*(forge_u8f *)&y[r * cols + c] = *(const forge_u8f *)&x[r * cols + c] *
					scale * *(const forge_u8f *)&w[c];
			*(forge_u8f *)&y[r * cols + (c + 8)] = *(const forge_u8f *)&x[r * cols +
					(c + 8)] * scale * *(const forge_u8f *)&w[c + 8];
		}
		for (int64_t c = 768; c < cols; c++)
			y[r * cols + c] = x[r * cols + c] * scale * w[c];
	}
}

struct rmsnorm_odd_share1 {
	const float *x;
	const float *w;
	float *y;
	float eps;
	int64_t first;
	int64_t count;
};

static void rmsnorm_odd_team1(void *data)
{
	struct rmsnorm_odd_share1 *share = data;
	for (int64_t chunk = omp_get_thread_num(); chunk < 2; chunk += omp_get_num_threads())
		rmsnorm_odd_part1(share->x, share->w, share->y, share->eps, share->first +
				share->count * chunk / 2, share->first + share->count *
				(chunk + 1) / 2);
}

/* The size odd. */
static __attribute__((noinline)) void rmsnorm_odd(const float *restrict x, const float *restrict w,
		float *restrict y, float eps)
{
	x = FORGE_ALIGNED(x);
	w = FORGE_ALIGNED(w);
	y = FORGE_ALIGNED(y);
	const int64_t rows = 1023;
	const int64_t cols = 769;
	{
		const int64_t first = 0;
		const int64_t count = rows - first;
		struct rmsnorm_odd_share1 share = { .x = x, .w = w, .y = y, .eps = eps, .first =
				first, .count = count };
		GOMP_parallel(rmsnorm_odd_team1, &share, 2, 0);
	}
}

static __attribute__((noinline)) void rmsnorm_any_part1(const float *restrict x,
		const float *restrict w, float *restrict y, int64_t rows, int64_t cols, float eps,
		int64_t first, int64_t last)
{
	x = FORGE_ALIGNED(x);
	w = FORGE_ALIGNED(w);
	y = FORGE_ALIGNED(y);
	for (int64_t r = first; r < last; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += x[r * cols + c] * x[r * cols + c];
		float scale = 1.0f / sqrtf(sum / (float)cols + eps);
		for (int64_t c = 0; c < cols - 15; c += 16) {
			*(forge_u8f *)&y[r * cols + c] = *(const forge_u8f *)&x[r * cols + c] *
					scale * *(const forge_u8f *)&w[c];
			*(forge_u8f *)&y[r * cols + (c + 8)] = *(const forge_u8f *)&x[r * cols +
					(c + 8)] * scale * *(const forge_u8f *)&w[c + 8];
		}
		for (int64_t c = cols / 16 * 16; c < cols; c++)
			y[r * cols + c] = x[r * cols + c] * scale * w[c];
	}
}

struct rmsnorm_any_share1 {
	const float *x;
	const float *w;
	float *y;
	int64_t rows;
	int64_t cols;
	float eps;
	int64_t first;
	int64_t count;
};

static void rmsnorm_any_team1(void *data)
{
	struct rmsnorm_any_share1 *share = data;
	for (int64_t chunk = omp_get_thread_num(); chunk < 2; chunk += omp_get_num_threads())
		rmsnorm_any_part1(share->x, share->w, share->y, share->rows, share->cols,
				share->eps, share->first + share->count * chunk / 2, share->first +
				share->count * (chunk + 1) / 2);
}

static __attribute__((noinline)) void rmsnorm_any(const float *restrict x, const float *restrict w,
		float *restrict y, int64_t rows, int64_t cols, float eps)
{
	x = FORGE_ALIGNED(x);
	w = FORGE_ALIGNED(w);
	y = FORGE_ALIGNED(y);
	{
		const int64_t first = 0;
		const int64_t count = rows - first;
		struct rmsnorm_any_share1 share = { .x = x, .w = w, .y = y, .rows = rows, .cols =
				cols, .eps = eps, .first = first, .count = count };
		GOMP_parallel(rmsnorm_any_team1, &share, 2, 0);
	}
}

void rmsnorm(const float *x, const float *w, float *y, int64_t rows, int64_t cols, float eps)
{
	if (rows == 1024 && cols == 1024)
		rmsnorm_1024x1024(x, w, y, eps);
	else if (rows == 2048 && cols == 512)
		rmsnorm_2048x512(x, w, y, eps);
	else if (rows == 1023 && cols == 769)
		rmsnorm_odd(x, w, y, eps);
	else
		rmsnorm_any(x, w, y, rows, cols, eps);
}

/* The rest of the source. */
