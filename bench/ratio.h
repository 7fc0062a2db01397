/*
 * How much faster is b than a, from calls that took turns? In a round of a shape both ran close
 * together, so the ratio of that round is free of what slows both. value is the geometric mean over
 * shapes of the median ratio; the interval is the middle 95 % of what rounds drawn again (within
 * each shape, with replacement) would have given. Used by the benchmark of the optimiser; verdicts
 * follow stats/paired.h, which is stricter.
 */
#ifndef FORGE_BENCH_RATIO_H
#define FORGE_BENCH_RATIO_H

#include <math.h>

#include "base/mem.h"
#include "base/rng.h"
#include "stats/summary.h"

enum { RATIO_DRAWS = 2000 };

struct ratio {
	double value; /* a's time / b's time: above 1, b is faster */
	double low;
	double high;
};

/* Times of one contestant: ns[shape * nr_rounds + round]. */
struct ratio_spec {
	const double *a;
	const double *b;
	size_t nr_shapes;
	size_t nr_rounds;
	uint64_t seed;
};

static inline double ratio_of_draw(const struct ratio_spec *s, struct rng *rng, double *logs)
{
	double sum = 0;
	for (size_t shape = 0; shape < s->nr_shapes; shape++) {
		for (size_t i = 0; i < s->nr_rounds; i++) {
			size_t round = rng ? rng_below(rng, s->nr_rounds) : i;
			size_t at = shape * s->nr_rounds + round;
			logs[i] = log(s->a[at] / s->b[at]);
		}
		sum += summary_median(logs, s->nr_rounds);
	}
	return sum / (double)s->nr_shapes;
}

static inline struct ratio ratio_make(const struct ratio_spec *s)
{
	AUTO_FREE double *logs = xcalloc(s->nr_rounds + 1, sizeof(*logs));
	AUTO_FREE double *draws = xcalloc(RATIO_DRAWS, sizeof(*draws));
	struct rng rng = { .seed = s->seed };
	for (size_t i = 0; i < RATIO_DRAWS; i++)
		draws[i] = ratio_of_draw(s, &rng, logs);
	return (struct ratio){
		.value = exp(ratio_of_draw(s, NULL, logs)),
		.low = exp(summary_quantile(draws, RATIO_DRAWS, 0.025)),
		.high = exp(summary_quantile(draws, RATIO_DRAWS, 0.975)),
	};
}

/* Geometric mean over shapes of the median time. */
static inline double ratio_typical_ns(const double *ns, size_t nr_shapes, size_t nr_rounds)
{
	double sum = 0;
	for (size_t shape = 0; shape < nr_shapes; shape++)
		sum += log(summary_median(ns + shape * nr_rounds, nr_rounds));
	return exp(sum / (double)nr_shapes);
}

#endif
