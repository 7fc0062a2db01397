/*
 * forge-build: gcc -O3 -march=native -ffast-math
 * forge-rows: 1
 *   D0.1 build cc=gcc flags=-O3,-march=native,-ffast-math
 *   D0.1 specialise shapes=all
 *   D0.2 cascade loop=L1 block=2
 *
 * Written by forge-tuner from the reference, by the rows above.
 */
#include <forge/kernel.h>
#include <stdint.h>

/* What the rows apply to. Nothing calls it: a later search goes on from here. */
static __attribute__((unused))
void jacobi2d_plain(const float *a, float *b, float *tmp, int64_t n, int64_t m, int64_t steps)
{
	for (int64_t i = 0; i < n; i++)
		for (int64_t j = 0; j < m; j++)
			b[i * m + j] = a[i * m + j];
	for (int64_t t = 0; t < steps; t++) {
		for (int64_t i = 1; i < n - 1; i++)
			for (int64_t j = 1; j < m - 1; j++)
				tmp[i * m + j] = 0.25f * (b[(i - 1) * m + j] + b[(i + 1) * m + j] +
							  b[i * m + j - 1] + b[i * m + j + 1]);
		for (int64_t i = 1; i < n - 1; i++)
			for (int64_t j = 1; j < m - 1; j++)
				b[i * m + j] = tmp[i * m + j];
	}
}

/* What the rows made of it. */
/* The size 256x256x8. */
static __attribute__((noinline)) void jacobi2d_256x256x8(const float *restrict a, float *restrict b,
		float *restrict tmp)
{
	a = FORGE_ALIGNED(a);
	b = FORGE_ALIGNED(b);
	tmp = FORGE_ALIGNED(tmp);
	const int64_t n = 256;
	const int64_t m = 256;
	const int64_t steps = 8;
	for (int64_t i = 0; i < n; i++)
		for (int64_t j = 0; j < m; j++)
			b[i * m + j] = a[i * m + j];
	for (int64_t t_block = 0; t_block < steps; t_block += 2)
		for (int64_t i_front = 1; i_front < n + 2; i_front++)
			for (int64_t t = t_block; t < t_block + 2; t++) {
				{
					const int64_t i_at0 = i_front - 2 * (t - t_block);
					if (i_at0 >= 1 && i_at0 < n - 1)
						for (int64_t j = 1; j < m - 1; j++)
							tmp[i_at0 * m + j] = 0.25f * (b[(i_at0 - 1) * m + j] + b[(i_at0 + 1) * m + j] + b[i_at0 * m + j - 1] + b[i_at0 * m + j + 1]);
				}
				{
					const int64_t i_at1 = i_front - 2 * (t - t_block) - 1;
					if (i_at1 >= 1 && i_at1 < n - 1)
						for (int64_t j = 1; j < m - 1; j++)
							b[i_at1 * m + j] = tmp[i_at1 * m + j];
				}
			}
}

/* The size 128x512x10. */
static __attribute__((noinline)) void jacobi2d_128x512x10(const float *restrict a,
		float *restrict b, float *restrict tmp)
{
	a = FORGE_ALIGNED(a);
	b = FORGE_ALIGNED(b);
	tmp = FORGE_ALIGNED(tmp);
	const int64_t n = 128;
	const int64_t m = 512;
	const int64_t steps = 10;
	for (int64_t i = 0; i < n; i++)
		for (int64_t j = 0; j < m; j++)
			b[i * m + j] = a[i * m + j];
	for (int64_t t_block = 0; t_block < steps; t_block += 2)
		for (int64_t i_front = 1; i_front < n + 2; i_front++)
			for (int64_t t = t_block; t < t_block + 2; t++) {
				{
					const int64_t i_at0 = i_front - 2 * (t - t_block);
					if (i_at0 >= 1 && i_at0 < n - 1)
						for (int64_t j = 1; j < m - 1; j++)
							tmp[i_at0 * m + j] = 0.25f * (b[(i_at0 - 1) * m + j] + b[(i_at0 + 1) * m + j] + b[i_at0 * m + j - 1] + b[i_at0 * m + j + 1]);
				}
				{
					const int64_t i_at1 = i_front - 2 * (t - t_block) - 1;
					if (i_at1 >= 1 && i_at1 < n - 1)
						for (int64_t j = 1; j < m - 1; j++)
							b[i_at1 * m + j] = tmp[i_at1 * m + j];
				}
			}
}

/* The size odd. */
static __attribute__((noinline)) void jacobi2d_odd(const float *restrict a, float *restrict b,
		float *restrict tmp)
{
	a = FORGE_ALIGNED(a);
	b = FORGE_ALIGNED(b);
	tmp = FORGE_ALIGNED(tmp);
	const int64_t n = 255;
	const int64_t m = 383;
	const int64_t steps = 5;
	for (int64_t i = 0; i < n; i++)
		for (int64_t j = 0; j < m; j++)
			b[i * m + j] = a[i * m + j];
	for (int64_t t_block = 0; t_block < steps; t_block += 2)
		for (int64_t i_front = 1; i_front < n + 2; i_front++)
			for (int64_t t = t_block; t < (t_block + 2 < steps ? t_block + 2 :
					steps); t++) {
				{
					const int64_t i_at0 = i_front - 2 * (t - t_block);
					if (i_at0 >= 1 && i_at0 < n - 1)
						for (int64_t j = 1; j < m - 1; j++)
							tmp[i_at0 * m + j] = 0.25f * (b[(i_at0 - 1) * m + j] + b[(i_at0 + 1) * m + j] + b[i_at0 * m + j - 1] + b[i_at0 * m + j + 1]);
				}
				{
					const int64_t i_at1 = i_front - 2 * (t - t_block) - 1;
					if (i_at1 >= 1 && i_at1 < n - 1)
						for (int64_t j = 1; j < m - 1; j++)
							b[i_at1 * m + j] = tmp[i_at1 * m + j];
				}
			}
}

static __attribute__((noinline)) void jacobi2d_any(const float *restrict a, float *restrict b,
		float *restrict tmp, int64_t n, int64_t m, int64_t steps)
{
	a = FORGE_ALIGNED(a);
	b = FORGE_ALIGNED(b);
	tmp = FORGE_ALIGNED(tmp);
	for (int64_t i = 0; i < n; i++)
		for (int64_t j = 0; j < m; j++)
			b[i * m + j] = a[i * m + j];
	for (int64_t t_block = 0; t_block < steps; t_block += 2)
		for (int64_t i_front = 1; i_front < n + 2; i_front++)
			for (int64_t t = t_block; t < (t_block + 2 < steps ? t_block + 2 :
					steps); t++) {
				{
					const int64_t i_at0 = i_front - 2 * (t - t_block);
					if (i_at0 >= 1 && i_at0 < n - 1)
						for (int64_t j = 1; j < m - 1; j++)
							tmp[i_at0 * m + j] = 0.25f * (b[(i_at0 - 1) * m + j] + b[(i_at0 + 1) * m + j] + b[i_at0 * m + j - 1] + b[i_at0 * m + j + 1]);
				}
				{
					const int64_t i_at1 = i_front - 2 * (t - t_block) - 1;
					if (i_at1 >= 1 && i_at1 < n - 1)
						for (int64_t j = 1; j < m - 1; j++)
							b[i_at1 * m + j] = tmp[i_at1 * m + j];
				}
			}
}

void jacobi2d(const float *a, float *b, float *tmp, int64_t n, int64_t m, int64_t steps)
{
	if (n == 256 && m == 256 && steps == 8)
		jacobi2d_256x256x8(a, b, tmp);
	else if (n == 128 && m == 512 && steps == 10)
		jacobi2d_128x512x10(a, b, tmp);
	else if (n == 255 && m == 383 && steps == 5)
		jacobi2d_odd(a, b, tmp);
	else
		jacobi2d_any(a, b, tmp, n, m, steps);
}

/* The rest of the source. */
