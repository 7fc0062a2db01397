/* Independent oracle: one online sweep over the visible positions keeps a running maximum, sum and
 * weighted value vector, rescaled whenever the maximum grows. */
#include <math.h>
#include <stdint.h>

struct running {
	double top;
	double sum;
};

static double score(const double *q, const double *k, int64_t dim)
{
	double dot = 0;
	for (int64_t d = dim - 1; d >= 0; d--)
		dot = fma(q[d], k[d], dot);
	return dot / sqrt((double)dim);
}

static void absorb(struct running *r, double s, const double *v, double *o, int64_t dim)
{
	double top = fmax(r->top, s);
	double keep = exp(r->top - top);
	double add = exp(s - top);
	r->sum = r->sum * keep + add;
	r->top = top;
	for (int64_t d = 0; d < dim; d++)
		o[d] = o[d] * keep + add * v[d];
}

void attention(const double *q, const double *k, const double *v, double *o, int64_t heads,
	       int64_t kv_heads, int64_t seq, int64_t dim)
{
	for (int64_t row = 0; row < heads * seq; row++) {
		int64_t g = row / seq * kv_heads / heads;
		int64_t i = row % seq;
		double *out = o + row * dim;
		struct running r = { -INFINITY, 0 };
		for (int64_t d = 0; d < dim; d++)
			out[d] = 0;
		for (int64_t j = i; j >= 0; j--) {
			const double *key = k + (g * seq + j) * dim;
			absorb(&r, score(q + row * dim, key, dim), v + (g * seq + j) * dim, out, dim);
		}
		for (int64_t d = 0; d < dim; d++)
			out[d] /= r.sum;
	}
}
