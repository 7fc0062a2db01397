#include "stats/summary.h"

/* Sorting a copy is fast enough for what a trial holds (some thousands of samples) and leaves no
 * corner where a selection algorithm and a sort disagree. Ties in ranks get their mean rank. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* One-sided, of summary_rate_bound. */
#define RATE_ALPHA 0.05

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;
	return (x > y) - (x < y);
}

/* Yours. */
static double *sorted_copy(const double *values, size_t nr)
{
	double *copy = xreallocarray(NULL, nr, sizeof(*copy));
	memcpy(copy, values, nr * sizeof(*copy));
	qsort(copy, nr, sizeof(*copy), by_value);
	return copy;
}

double summary_median(const double *values, size_t nr)
{
	return summary_quantile(values, nr, 0.5);
}

double summary_quantile(const double *values, size_t nr, double q)
{
	if (nr == 0)
		return NAN;
	AUTO_FREE double *sorted = sorted_copy(values, nr);
	double at = q * (double)(nr - 1);
	size_t below = (size_t)at;
	double part = at - (double)below;
	/* Without the test an infinite neighbour of weight zero would make a NaN. */
	if (part == 0)
		return sorted[below];
	return sorted[below] * (1 - part) + sorted[below + 1] * part;
}

double summary_mad(const double *values, size_t nr)
{
	if (nr == 0)
		return NAN;
	double median = summary_median(values, nr);
	AUTO_FREE double *distance = xreallocarray(NULL, nr, sizeof(*distance));
	for (size_t i = 0; i < nr; i++)
		distance[i] = fabs(values[i] - median);
	return summary_median(distance, nr);
}

double summary_mean(const double *values, size_t nr)
{
	double sum = 0;
	for (size_t i = 0; i < nr; i++)
		sum += values[i];
	return sum / (double)nr;
}

double summary_geomean(const double *values, size_t nr)
{
	double sum = 0;
	for (size_t i = 0; i < nr; i++)
		sum += log(values[i]);
	return exp(sum / (double)nr);
}

struct ranked {
	double value;
	size_t at;
};

static int by_ranked_value(const void *a, const void *b)
{
	return by_value(&((const struct ranked *)a)->value, &((const struct ranked *)b)->value);
}

/* Ranks from 1, ties share their mean. Yours. */
static double *ranks_of(const double *values, size_t nr)
{
	AUTO_FREE struct ranked *order = xreallocarray(NULL, nr, sizeof(*order));
	double *ranks = xreallocarray(NULL, nr, sizeof(*ranks));
	for (size_t i = 0; i < nr; i++)
		order[i] = (struct ranked){ .value = values[i], .at = i };
	qsort(order, nr, sizeof(*order), by_ranked_value);
	for (size_t i = 0; i < nr;) {
		size_t end = i + 1;
		while (end < nr && order[end].value == order[i].value)
			end++;
		for (size_t j = i; j < end; j++)
			ranks[order[j].at] = (double)(i + end + 1) / 2;
		i = end;
	}
	return ranks;
}

/* Pearson's correlation; 0 when a side does not vary. */
static double correlation(const double *x, const double *y, size_t nr)
{
	double mean_x = summary_mean(x, nr);
	double mean_y = summary_mean(y, nr);
	double xx = 0;
	double yy = 0;
	double xy = 0;
	for (size_t i = 0; i < nr; i++) {
		xx += (x[i] - mean_x) * (x[i] - mean_x);
		yy += (y[i] - mean_y) * (y[i] - mean_y);
		xy += (x[i] - mean_x) * (y[i] - mean_y);
	}
	return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : 0;
}

double summary_spearman(const double *x, const double *y, size_t nr)
{
	if (nr == 0)
		return NAN;
	AUTO_FREE double *rank_x = ranks_of(x, nr);
	AUTO_FREE double *rank_y = ranks_of(y, nr);
	return correlation(rank_x, rank_y, nr);
}

/* P(exactly k of n fair coins). */
static double coin_probability(size_t n, size_t k)
{
	double all = (double)n;
	double heads = (double)k;
	return exp(lgamma(all + 1) - lgamma(heads + 1) - lgamma(all - heads + 1) - all * M_LN2);
}

struct median_interval summary_median_interval(const double *values, size_t nr, double alpha)
{
	struct median_interval out = { .low = NAN, .high = NAN, .error = NAN };
	if (nr == 0)
		return out;
	AUTO_FREE double *sorted = sorted_copy(values, nr);
	/* The median lies below the r-th order statistic iff fewer than r values are below it. */
	double tail = coin_probability(nr, 0);
	out.error = tail;
	while (tail <= alpha) {
		out.error = tail;
		tail += coin_probability(nr, ++out.rank);
	}
	size_t rank = out.rank ? out.rank : 1;
	out.low = sorted[rank - 1];
	out.high = sorted[nr - rank];
	return out;
}

/* P(at most `events` of `trials`) at this rate. */
static double binomial_tail(size_t events, size_t trials, double rate)
{
	double sum = 0;
	double n = (double)trials;
	for (size_t i = 0; i <= events; i++) {
		double k = (double)i;
		sum += exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(rate) +
			   (n - k) * log1p(-rate));
	}
	return sum;
}

double summary_rate_bound(size_t events, size_t trials)
{
	enum { STEPS = 60 };
	if (trials == 0 || events >= trials)
		return 1;
	if (events == 0)
		return fmin(1, 3 / (double)trials);
	double low = 0;
	double high = 1;
	for (int i = 0; i < STEPS; i++) {
		double rate = (low + high) / 2;
		if (binomial_tail(events, trials, rate) > RATE_ALPHA)
			low = rate;
		else
			high = rate;
	}
	return high;
}
