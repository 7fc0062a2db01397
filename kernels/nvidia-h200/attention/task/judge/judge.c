/* forge-build: gcc -O3 -march=native -fopenmp */
/* Independent oracle: an online sweep over the keys from the last to the first; sums are rescaled
 * whenever a larger score comes. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

static double dot(const double *a, const double *b, int64_t n)
{
	double sum[4] = { 0 };
	int64_t i = 0;
	for (; i + 4 <= n; i += 4)
		for (int j = 0; j < 4; j++)
			sum[j] += a[i + j] * b[i + j];
	for (; i < n; i++)
		sum[0] += a[i] * b[i];
	return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

struct sums {
	double top;
	double weight;
	double *values;
};

static void add_key(struct sums *s, double score, const double *value, int64_t dim)
{
	const double keep = score > s->top ? exp(s->top - score) : 1;
	const double part = score > s->top ? 1 : exp(score - s->top);
	s->top = score > s->top ? score : s->top;
	s->weight = s->weight * keep + part;
	for (int64_t d = 0; d < dim; d++)
		s->values[d] = s->values[d] * keep + part * value[d];
}

static void attend(const double *q, const double *k, const double *v, double *o, int64_t last, int64_t dim)
{
	const double scale = 1 / sqrt((double)dim);
	struct sums s = { .top = -INFINITY, .values = o };
	for (int64_t d = 0; d < dim; d++)
		o[d] = 0;
	for (int64_t j = last; j >= 0; j--)
		add_key(&s, dot(q, k + j * dim, dim) * scale, v + j * dim, dim);
	for (int64_t d = 0; d < dim; d++)
		o[d] /= s.weight;
}

void attention(const double *q, const double *k, const double *v, double *o, int64_t batch, int64_t heads,
	       int64_t seq, int64_t dim)
{
#pragma omp parallel for collapse(2) schedule(dynamic)
	for (int64_t h = 0; h < batch * heads; h++) {
		for (int64_t i = 0; i < seq; i++) {
			const int64_t head = h * seq * dim;
			attend(q + head + i * dim, k + head, v + head, o + head + i * dim, i, dim);
		}
	}
}
