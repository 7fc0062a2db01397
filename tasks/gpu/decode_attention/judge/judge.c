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

struct place {
	const double *k;
	const double *v;
	const int32_t *pages; /* of the sequence */
	int64_t page;
	int64_t stride; /* of a position */
	int64_t from;   /* of the head within a position */
	int64_t dim;
};

static void attend(const double *q, const struct place *p, double *o, int64_t length)
{
	const double scale = 1 / sqrt((double)p->dim);
	struct sums s = { .top = -INFINITY, .values = o };
	for (int64_t d = 0; d < p->dim; d++)
		o[d] = 0;
	for (int64_t j = length - 1; j >= 0; j--) {
		const int64_t row = (p->pages[j / p->page] * p->page + j % p->page) * p->stride + p->from;
		add_key(&s, dot(q, p->k + row, p->dim) * scale, p->v + row, p->dim);
	}
	for (int64_t d = 0; d < p->dim; d++)
		o[d] /= s.weight;
}

void decode_attention(const double *q, const double *k, const double *v, const int32_t *table,
		      const int32_t *length, double *o, int64_t batch, int64_t heads, int64_t heads_kv,
		      int64_t dim, int64_t page, int64_t max_pages)
{
#pragma omp parallel for schedule(dynamic)
	for (int64_t i = 0; i < batch * heads; i++) {
		const int64_t b = i / heads;
		const struct place p = { .k = k,
					 .v = v,
					 .pages = table + b * max_pages,
					 .page = page,
					 .stride = heads_kv * dim,
					 .from = i % heads / (heads / heads_kv) * dim,
					 .dim = dim };
		attend(q + i * dim, &p, o + i * dim, length[b]);
	}
}
