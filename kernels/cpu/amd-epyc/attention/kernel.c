/*
 * forge-build: gcc -O3 -march=native -ffast-math -fopenmp-simd
 * forge-rows: 1
 *   D0.1 build cc=gcc flags=-O3,-march=native,-ffast-math
 *   D0.1 specialise shapes=all
 *   D0.2 math exp=inline tanh=exp
 *   D0.3 sink loop=L0.0.2 u=16 as=lanes
 *   D0.3 sink loop=L0.0 u=6 as=registers
 *   D0.4 threads loop=L0 n=2 layout=dynamic
 *
 * Written by forge-tuner from the reference, by the rows above.
 */
#include <forge/kernel.h>
#include <math.h>
#include <stdint.h>

/* What the rows apply to. Nothing calls it: a later search goes on from here. */
static __attribute__((unused))
void attention_plain(const float *q, const float *k, const float *v, float *o, int64_t heads,
	       int64_t kv_heads, int64_t seq, int64_t dim)
{
	float scale = 1.0f / sqrtf((float)dim);
	for (int64_t h = 0; h < heads; h++) {
		int64_t g = h / (heads / kv_heads);
		for (int64_t i = 0; i < seq; i++) {
			float p[seq];
			float top = -INFINITY;
			for (int64_t j = 0; j <= i; j++) {
				float dot = 0;
				for (int64_t d = 0; d < dim; d++)
					dot += q[(h * seq + i) * dim + d] * k[(g * seq + j) * dim + d];
				p[j] = dot * scale;
				top = p[j] > top ? p[j] : top;
			}
			float sum = 0;
			for (int64_t j = 0; j <= i; j++) {
				p[j] = expf(p[j] - top);
				sum += p[j];
			}
			for (int64_t d = 0; d < dim; d++) {
				float acc = 0;
				for (int64_t j = 0; j <= i; j++)
					acc += p[j] * v[(g * seq + j) * dim + d];
				o[(h * seq + i) * dim + d] = acc / sum;
			}
		}
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

static __attribute__((noinline)) void attention_h8_kv2_s128_d64_part1(const float *restrict q,
		const float *restrict k, const float *restrict v, float *restrict o, float scale,
		int64_t first, int64_t last)
{
	q = FORGE_ALIGNED(q);
	k = FORGE_ALIGNED(k);
	v = FORGE_ALIGNED(v);
	o = FORGE_ALIGNED(o);
	const int64_t heads = 8;
	const int64_t kv_heads = 2;
	const int64_t seq = 128;
	const int64_t dim = 64;
	for (int64_t h = first; h < last; h++) {
		int64_t g = h / (heads / kv_heads);
		for (int64_t i = 0; i < 126; i += 6) {
			float p[6][128];
			float top[6];
			float sum[6];
			int64_t j_end = i + 1;
			for (int64_t i_s = 0; i_s < 6; i_s++) {
				top[i_s] = -INFINITY;
			}
			for (int64_t j = 0; j < j_end; j++) {
				float dot[6];
				for (int64_t i_s = 0; i_s < 6; i_s++) {
					dot[i_s] = 0;
				}
				for (int64_t d = 0; d < dim; d++) {
					for (int64_t i_s = 0; i_s < 6; i_s++) {
						dot[i_s] += q[(h * seq + (i + i_s)) * dim + d] * k[(g * seq + j) * dim + d];
					}
				}
				for (int64_t i_s = 0; i_s < 6; i_s++) {
					p[i_s][j] = dot[i_s] * scale;
					top[i_s] = p[i_s][j] > top[i_s] ? p[i_s][j] : top[i_s];
				}
			}
			int64_t j_end2 = i + 1;
			for (int64_t i_s = 0; i_s < 6; i_s++) {
				for (int64_t j = j_end; j < i + i_s + 1; j++) {
					float dot_r = 0;
					for (int64_t d = 0; d < dim; d++) {
						dot_r += q[(h * seq + (i + i_s)) * dim + d] * k[(g * seq + j) * dim + d];
					}
					p[i_s][j] = dot_r * scale;
					top[i_s] = p[i_s][j] > top[i_s] ? p[i_s][j] : top[i_s];
				}
				sum[i_s] = 0;
			}
			for (int64_t j = 0; j < j_end2; j++) {
				for (int64_t i_s = 0; i_s < 6; i_s++) {
					p[i_s][j] = forge_expf(p[i_s][j] - top[i_s]);
					sum[i_s] += p[i_s][j];
				}
			}
			for (int64_t i_s = 0; i_s < 6; i_s++) {
				for (int64_t j = j_end2; j < i + i_s + 1; j++) {
					p[i_s][j] = forge_expf(p[i_s][j] - top[i_s]);
					sum[i_s] += p[i_s][j];
				}
			}
			for (int64_t d = 0; d < dim; d += 16) {
				float acc[6][16];
				int64_t j_end3 = i + 1;
				for (int64_t i_s = 0; i_s < 6; i_s++) {
#pragma omp simd
					for (int64_t d_s = 0; d_s < 16; d_s++) {
						acc[i_s][d_s] = 0;
					}
				}
				for (int64_t j = 0; j < j_end3; j++) {
					for (int64_t i_s = 0; i_s < 6; i_s++) {
#pragma omp simd
						for (int64_t d_s = 0; d_s < 16; d_s++) {
							acc[i_s][d_s] += p[i_s][j] * v[(g * seq + j) * dim + (d + d_s)];
						}
					}
				}
				for (int64_t i_s = 0; i_s < 6; i_s++) {
					for (int64_t j = j_end3; j < i + i_s + 1; j++) {
#pragma omp simd
						for (int64_t d_s = 0; d_s < 16; d_s++) {
							acc[i_s][d_s] += p[i_s][j] * v[(g * seq + j) * dim + (d + d_s)];
						}
					}
#pragma omp simd
					for (int64_t d_s = 0; d_s < 16; d_s++) {
						o[(h * seq + (i + i_s)) * dim + (d + d_s)] = acc[i_s][d_s] / sum[i_s];
					}
				}
			}
		}
		for (int64_t i = 126; i < seq; i++) {
			float p[128];
			float top_r = -INFINITY;
			for (int64_t j = 0; j < i + 1; j++) {
				float dot_r = 0;
				for (int64_t d = 0; d < dim; d++)
					dot_r += q[(h * seq + i) * dim + d] * k[(g * seq + j) * dim + d];
				p[j] = dot_r * scale;
				top_r = p[j] > top_r ? p[j] : top_r;
			}
			float sum_r = 0;
			for (int64_t j = 0; j < i + 1; j++) {
				p[j] = forge_expf(p[j] - top_r);
				sum_r += p[j];
			}
			for (int64_t d = 0; d < dim; d += 16) {
				float acc[16];
#pragma omp simd
				for (int64_t d_s = 0; d_s < 16; d_s++) {
					acc[d_s] = 0;
				}
				for (int64_t j = 0; j < i + 1; j++) {
#pragma omp simd
					for (int64_t d_s = 0; d_s < 16; d_s++) {
						acc[d_s] += p[j] * v[(g * seq + j) * dim + (d + d_s)];
					}
				}
#pragma omp simd
				for (int64_t d_s = 0; d_s < 16; d_s++) {
					o[(h * seq + i) * dim + (d + d_s)] = acc[d_s] / sum_r;
				}
			}
		}
	}
}

struct attention_h8_kv2_s128_d64_share1 {
	const float *q;
	const float *k;
	const float *v;
	float *o;
	float scale;
	int64_t first;
	int64_t count;
	_Alignas(64) int64_t next;
};

static void attention_h8_kv2_s128_d64_team1(void *data)
{
	struct attention_h8_kv2_s128_d64_share1 *share = data;
	int64_t chunk;
	while ((chunk = __atomic_fetch_add(&share->next, 1, __ATOMIC_RELAXED)) < 32)
		attention_h8_kv2_s128_d64_part1(share->q, share->k, share->v, share->o,
				share->scale, share->first + share->count * chunk / 32,
				share->first + share->count * (chunk + 1) / 32);
}

/* The size h8-kv2-s128-d64. */
static __attribute__((noinline)) void attention_h8_kv2_s128_d64(const float *restrict q,
		const float *restrict k, const float *restrict v, float *restrict o)
{
	q = FORGE_ALIGNED(q);
	k = FORGE_ALIGNED(k);
	v = FORGE_ALIGNED(v);
	o = FORGE_ALIGNED(o);
	const int64_t heads = 8;
	const int64_t kv_heads = 2;
	const int64_t seq = 128;
	const int64_t dim = 64;
	float scale = 1.0f / sqrtf((float)dim);
	{
		const int64_t first = 0;
		const int64_t count = heads - first;
		struct attention_h8_kv2_s128_d64_share1 share =
				{ .q = q, .k = k, .v = v, .o = o, .scale = scale, .first = first,
				.count = count };
		GOMP_parallel(attention_h8_kv2_s128_d64_team1, &share, 2, 0);
	}
}

static __attribute__((noinline)) void attention_h4_kv4_s192_d64_part1(const float *restrict q,
		const float *restrict k, const float *restrict v, float *restrict o, float scale,
		int64_t first, int64_t last)
{
	q = FORGE_ALIGNED(q);
	k = FORGE_ALIGNED(k);
	v = FORGE_ALIGNED(v);
	o = FORGE_ALIGNED(o);
	const int64_t heads = 4;
	const int64_t kv_heads = 4;
	const int64_t seq = 192;
	const int64_t dim = 64;
	for (int64_t h = first; h < last; h++) {
		int64_t g = h / (heads / kv_heads);
		for (int64_t i = 0; i < seq; i += 6) {
			float p[6][192];
			float top[6];
			float sum[6];
			int64_t j_end = i + 1;
			for (int64_t i_s = 0; i_s < 6; i_s++) {
				top[i_s] = -INFINITY;
			}
			for (int64_t j = 0; j < j_end; j++) {
				float dot[6];
				for (int64_t i_s = 0; i_s < 6; i_s++) {
					dot[i_s] = 0;
				}
				for (int64_t d = 0; d < dim; d++) {
					for (int64_t i_s = 0; i_s < 6; i_s++) {
						dot[i_s] += q[(h * seq + (i + i_s)) * dim + d] * k[(g * seq + j) * dim + d];
					}
				}
				for (int64_t i_s = 0; i_s < 6; i_s++) {
					p[i_s][j] = dot[i_s] * scale;
					top[i_s] = p[i_s][j] > top[i_s] ? p[i_s][j] : top[i_s];
				}
			}
			int64_t j_end2 = i + 1;
			for (int64_t i_s = 0; i_s < 6; i_s++) {
				for (int64_t j = j_end; j < i + i_s + 1; j++) {
					float dot_r = 0;
					for (int64_t d = 0; d < dim; d++) {
						dot_r += q[(h * seq + (i + i_s)) * dim + d] * k[(g * seq + j) * dim + d];
					}
					p[i_s][j] = dot_r * scale;
					top[i_s] = p[i_s][j] > top[i_s] ? p[i_s][j] : top[i_s];
				}
				sum[i_s] = 0;
			}
			for (int64_t j = 0; j < j_end2; j++) {
				for (int64_t i_s = 0; i_s < 6; i_s++) {
					p[i_s][j] = forge_expf(p[i_s][j] - top[i_s]);
					sum[i_s] += p[i_s][j];
				}
			}
			for (int64_t i_s = 0; i_s < 6; i_s++) {
				for (int64_t j = j_end2; j < i + i_s + 1; j++) {
					p[i_s][j] = forge_expf(p[i_s][j] - top[i_s]);
					sum[i_s] += p[i_s][j];
				}
			}
			for (int64_t d = 0; d < dim; d += 16) {
				float acc[6][16];
				int64_t j_end3 = i + 1;
				for (int64_t i_s = 0; i_s < 6; i_s++) {
#pragma omp simd
					for (int64_t d_s = 0; d_s < 16; d_s++) {
						acc[i_s][d_s] = 0;
					}
				}
				for (int64_t j = 0; j < j_end3; j++) {
					for (int64_t i_s = 0; i_s < 6; i_s++) {
#pragma omp simd
						for (int64_t d_s = 0; d_s < 16; d_s++) {
							acc[i_s][d_s] += p[i_s][j] * v[(g * seq + j) * dim + (d + d_s)];
						}
					}
				}
				for (int64_t i_s = 0; i_s < 6; i_s++) {
					for (int64_t j = j_end3; j < i + i_s + 1; j++) {
#pragma omp simd
						for (int64_t d_s = 0; d_s < 16; d_s++) {
							acc[i_s][d_s] += p[i_s][j] * v[(g * seq + j) * dim + (d + d_s)];
						}
					}
#pragma omp simd
					for (int64_t d_s = 0; d_s < 16; d_s++) {
						o[(h * seq + (i + i_s)) * dim + (d + d_s)] = acc[i_s][d_s] / sum[i_s];
					}
				}
			}
		}
	}
}

struct attention_h4_kv4_s192_d64_share1 {
	const float *q;
	const float *k;
	const float *v;
	float *o;
	float scale;
	int64_t first;
	int64_t count;
	_Alignas(64) int64_t next;
};

static void attention_h4_kv4_s192_d64_team1(void *data)
{
	struct attention_h4_kv4_s192_d64_share1 *share = data;
	int64_t chunk;
	while ((chunk = __atomic_fetch_add(&share->next, 1, __ATOMIC_RELAXED)) < 32)
		attention_h4_kv4_s192_d64_part1(share->q, share->k, share->v, share->o,
				share->scale, share->first + share->count * chunk / 32,
				share->first + share->count * (chunk + 1) / 32);
}

/* The size h4-kv4-s192-d64. */
static __attribute__((noinline)) void attention_h4_kv4_s192_d64(const float *restrict q,
		const float *restrict k, const float *restrict v, float *restrict o)
{
	q = FORGE_ALIGNED(q);
	k = FORGE_ALIGNED(k);
	v = FORGE_ALIGNED(v);
	o = FORGE_ALIGNED(o);
	const int64_t heads = 4;
	const int64_t kv_heads = 4;
	const int64_t seq = 192;
	const int64_t dim = 64;
	float scale = 1.0f / sqrtf((float)dim);
	{
		const int64_t first = 0;
		const int64_t count = heads - first;
		struct attention_h4_kv4_s192_d64_share1 share =
				{ .q = q, .k = k, .v = v, .o = o, .scale = scale, .first = first,
				.count = count };
		GOMP_parallel(attention_h4_kv4_s192_d64_team1, &share, 2, 0);
	}
}

static __attribute__((noinline)) void attention_odd_part1(const float *restrict q,
		const float *restrict k, const float *restrict v, float *restrict o, float scale,
		int64_t first, int64_t last)
{
	q = FORGE_ALIGNED(q);
	k = FORGE_ALIGNED(k);
	v = FORGE_ALIGNED(v);
	o = FORGE_ALIGNED(o);
	const int64_t heads = 6;
	const int64_t kv_heads = 3;
	const int64_t seq = 127;
	const int64_t dim = 40;
	for (int64_t h = first; h < last; h++) {
		int64_t g = h / (heads / kv_heads);
		for (int64_t i = 0; i < 126; i += 6) {
			float p[6][127];
			float top[6];
			float sum[6];
			int64_t j_end = i + 1;
			for (int64_t i_s = 0; i_s < 6; i_s++) {
				top[i_s] = -INFINITY;
			}
			for (int64_t j = 0; j < j_end; j++) {
				float dot[6];
				for (int64_t i_s = 0; i_s < 6; i_s++) {
					dot[i_s] = 0;
				}
				for (int64_t d = 0; d < dim; d++) {
					for (int64_t i_s = 0; i_s < 6; i_s++) {
						dot[i_s] += q[(h * seq + (i + i_s)) * dim + d] * k[(g * seq + j) * dim + d];
					}
				}
				for (int64_t i_s = 0; i_s < 6; i_s++) {
					p[i_s][j] = dot[i_s] * scale;
					top[i_s] = p[i_s][j] > top[i_s] ? p[i_s][j] : top[i_s];
				}
			}
			int64_t j_end2 = i + 1;
			for (int64_t i_s = 0; i_s < 6; i_s++) {
				for (int64_t j = j_end; j < i + i_s + 1; j++) {
					float dot_r = 0;
					for (int64_t d = 0; d < dim; d++) {
						dot_r += q[(h * seq + (i + i_s)) * dim + d] * k[(g * seq + j) * dim + d];
					}
					p[i_s][j] = dot_r * scale;
					top[i_s] = p[i_s][j] > top[i_s] ? p[i_s][j] : top[i_s];
				}
				sum[i_s] = 0;
			}
			for (int64_t j = 0; j < j_end2; j++) {
				for (int64_t i_s = 0; i_s < 6; i_s++) {
					p[i_s][j] = forge_expf(p[i_s][j] - top[i_s]);
					sum[i_s] += p[i_s][j];
				}
			}
			for (int64_t i_s = 0; i_s < 6; i_s++) {
				for (int64_t j = j_end2; j < i + i_s + 1; j++) {
					p[i_s][j] = forge_expf(p[i_s][j] - top[i_s]);
					sum[i_s] += p[i_s][j];
				}
			}
			for (int64_t d = 0; d < 32; d += 16) {
				float acc[6][16];
				int64_t j_end3 = i + 1;
				for (int64_t i_s = 0; i_s < 6; i_s++) {
#pragma omp simd
					for (int64_t d_s = 0; d_s < 16; d_s++) {
						acc[i_s][d_s] = 0;
					}
				}
				for (int64_t j = 0; j < j_end3; j++) {
					for (int64_t i_s = 0; i_s < 6; i_s++) {
#pragma omp simd
						for (int64_t d_s = 0; d_s < 16; d_s++) {
							acc[i_s][d_s] += p[i_s][j] * v[(g * seq + j) * dim + (d + d_s)];
						}
					}
				}
				for (int64_t i_s = 0; i_s < 6; i_s++) {
					for (int64_t j = j_end3; j < i + i_s + 1; j++) {
#pragma omp simd
						for (int64_t d_s = 0; d_s < 16; d_s++) {
							acc[i_s][d_s] += p[i_s][j] * v[(g * seq + j) * dim + (d + d_s)];
						}
					}
#pragma omp simd
					for (int64_t d_s = 0; d_s < 16; d_s++) {
						o[(h * seq + (i + i_s)) * dim + (d + d_s)] = acc[i_s][d_s] / sum[i_s];
					}
				}
			}
			for (int64_t d = 32; d < dim; d++) {
				float acc_r[6];
				int64_t j_end4 = i + 1;
				for (int64_t i_s = 0; i_s < 6; i_s++) {
					acc_r[i_s] = 0;
				}
				for (int64_t j = 0; j < j_end4; j++) {
					for (int64_t i_s = 0; i_s < 6; i_s++) {
						acc_r[i_s] += p[i_s][j] * v[(g * seq + j) * dim + d];
					}
				}
				for (int64_t i_s = 0; i_s < 6; i_s++) {
					for (int64_t j = j_end4; j < i + i_s + 1; j++) {
						acc_r[i_s] += p[i_s][j] * v[(g * seq + j) * dim + d];
					}
					o[(h * seq + (i + i_s)) * dim + d] = acc_r[i_s] / sum[i_s];
				}
			}
		}
		for (int64_t i = 126; i < seq; i++) {
			float p[127];
			float top_r = -INFINITY;
			for (int64_t j = 0; j < i + 1; j++) {
				float dot_r = 0;
				for (int64_t d = 0; d < dim; d++)
					dot_r += q[(h * seq + i) * dim + d] * k[(g * seq + j) * dim + d];
				p[j] = dot_r * scale;
				top_r = p[j] > top_r ? p[j] : top_r;
			}
			float sum_r = 0;
			for (int64_t j = 0; j < i + 1; j++) {
				p[j] = forge_expf(p[j] - top_r);
				sum_r += p[j];
			}
			for (int64_t d = 0; d < 32; d += 16) {
				float acc[16];
#pragma omp simd
				for (int64_t d_s = 0; d_s < 16; d_s++) {
					acc[d_s] = 0;
				}
				for (int64_t j = 0; j < i + 1; j++) {
#pragma omp simd
					for (int64_t d_s = 0; d_s < 16; d_s++) {
						acc[d_s] += p[j] * v[(g * seq + j) * dim + (d + d_s)];
					}
				}
#pragma omp simd
				for (int64_t d_s = 0; d_s < 16; d_s++) {
					o[(h * seq + i) * dim + (d + d_s)] = acc[d_s] / sum_r;
				}
			}
			for (int64_t d = 32; d < dim; d++) {
				float acc_r_r = 0;
				for (int64_t j = 0; j < i + 1; j++)
					acc_r_r += p[j] * v[(g * seq + j) * dim + d];
				o[(h * seq + i) * dim + d] = acc_r_r / sum_r;
			}
		}
	}
}

struct attention_odd_share1 {
	const float *q;
	const float *k;
	const float *v;
	float *o;
	float scale;
	int64_t first;
	int64_t count;
	_Alignas(64) int64_t next;
};

static void attention_odd_team1(void *data)
{
	struct attention_odd_share1 *share = data;
	int64_t chunk;
	while ((chunk = __atomic_fetch_add(&share->next, 1, __ATOMIC_RELAXED)) < 32)
		attention_odd_part1(share->q, share->k, share->v, share->o, share->scale,
				share->first + share->count * chunk / 32, share->first +
				share->count * (chunk + 1) / 32);
}

/* The size odd. */
static __attribute__((noinline)) void attention_odd(const float *restrict q,
		const float *restrict k, const float *restrict v, float *restrict o)
{
	q = FORGE_ALIGNED(q);
	k = FORGE_ALIGNED(k);
	v = FORGE_ALIGNED(v);
	o = FORGE_ALIGNED(o);
	const int64_t heads = 6;
	const int64_t kv_heads = 3;
	const int64_t seq = 127;
	const int64_t dim = 40;
	float scale = 1.0f / sqrtf((float)dim);
	{
		const int64_t first = 0;
		const int64_t count = heads - first;
		struct attention_odd_share1 share = { .q = q, .k = k, .v = v, .o = o, .scale =
				scale, .first = first, .count = count };
		GOMP_parallel(attention_odd_team1, &share, 2, 0);
	}
}

static __attribute__((noinline)) void attention_any_part1(const float *restrict q,
		const float *restrict k, const float *restrict v, float *restrict o, int64_t heads,
		int64_t kv_heads, int64_t seq, int64_t dim, float scale, int64_t first,
		int64_t last)
{
	q = FORGE_ALIGNED(q);
	k = FORGE_ALIGNED(k);
	v = FORGE_ALIGNED(v);
	o = FORGE_ALIGNED(o);
	for (int64_t h = first; h < last; h++) {
		int64_t g = h / (heads / kv_heads);
		for (int64_t i = 0; i < seq; i++) {
			float p[seq];
			float top = -INFINITY;
			for (int64_t j = 0; j < i + 1; j++) {
				float dot = 0;
				for (int64_t d = 0; d < dim; d++)
					dot += q[(h * seq + i) * dim + d] * k[(g * seq + j) * dim + d];
				p[j] = dot * scale;
				top = p[j] > top ? p[j] : top;
			}
			float sum = 0;
			for (int64_t j = 0; j < i + 1; j++) {
				p[j] = forge_expf(p[j] - top);
				sum += p[j];
			}
			for (int64_t d = 0; d < dim - 15; d += 16) {
				float acc[16];
#pragma omp simd
				for (int64_t d_s = 0; d_s < 16; d_s++) {
					acc[d_s] = 0;
				}
				for (int64_t j = 0; j < i + 1; j++) {
#pragma omp simd
					for (int64_t d_s = 0; d_s < 16; d_s++) {
						acc[d_s] += p[j] * v[(g * seq + j) * dim + (d + d_s)];
					}
				}
#pragma omp simd
				for (int64_t d_s = 0; d_s < 16; d_s++) {
					o[(h * seq + i) * dim + (d + d_s)] = acc[d_s] / sum;
				}
			}
			for (int64_t d = dim / 16 * 16; d < dim; d++) {
				float acc_r = 0;
				for (int64_t j = 0; j < i + 1; j++)
					acc_r += p[j] * v[(g * seq + j) * dim + d];
				o[(h * seq + i) * dim + d] = acc_r / sum;
			}
		}
	}
}

struct attention_any_share1 {
	const float *q;
	const float *k;
	const float *v;
	float *o;
	int64_t heads;
	int64_t kv_heads;
	int64_t seq;
	int64_t dim;
	float scale;
	int64_t first;
	int64_t count;
	_Alignas(64) int64_t next;
};

static void attention_any_team1(void *data)
{
	struct attention_any_share1 *share = data;
	int64_t chunk;
	while ((chunk = __atomic_fetch_add(&share->next, 1, __ATOMIC_RELAXED)) < 32)
		attention_any_part1(share->q, share->k, share->v, share->o, share->heads,
				share->kv_heads, share->seq, share->dim, share->scale,
				share->first + share->count * chunk / 32, share->first +
				share->count * (chunk + 1) / 32);
}

static __attribute__((noinline)) void attention_any(const float *restrict q,
		const float *restrict k, const float *restrict v, float *restrict o, int64_t heads,
		int64_t kv_heads, int64_t seq, int64_t dim)
{
	q = FORGE_ALIGNED(q);
	k = FORGE_ALIGNED(k);
	v = FORGE_ALIGNED(v);
	o = FORGE_ALIGNED(o);
	float scale = 1.0f / sqrtf((float)dim);
	{
		const int64_t first = 0;
		const int64_t count = heads - first;
		struct attention_any_share1 share = { .q = q, .k = k, .v = v, .o = o, .heads =
				heads, .kv_heads = kv_heads, .seq = seq, .dim = dim, .scale = scale,
				.first = first, .count = count };
		GOMP_parallel(attention_any_team1, &share, 2, 0);
	}
}

void attention(const float *q, const float *k, const float *v, float *o, int64_t heads,
		int64_t kv_heads, int64_t seq, int64_t dim)
{
	if (heads == 8 && kv_heads == 2 && seq == 128 && dim == 64)
		attention_h8_kv2_s128_d64(q, k, v, o);
	else if (heads == 4 && kv_heads == 4 && seq == 192 && dim == 64)
		attention_h4_kv4_s192_d64(q, k, v, o);
	else if (heads == 6 && kv_heads == 3 && seq == 127 && dim == 40)
		attention_odd(q, k, v, o);
	else
		attention_any(q, k, v, o, heads, kv_heads, seq, dim);
}

/* The rest of the source. */
