/*
 * Order statistics and means of plain arrays. Nothing here changes its input; nr == 0 gives NaN.
 */
#ifndef FORGE_STATS_SUMMARY_H
#define FORGE_STATS_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>

double summary_median(const double *values, size_t nr);
/* q in [0, 1]; linear between order statistics (type 7). */
double summary_quantile(const double *values, size_t nr, double q);
/* Median absolute deviation from the median, unscaled. */
double summary_mad(const double *values, size_t nr);
double summary_mean(const double *values, size_t nr);
/* Of positive values. */
double summary_geomean(const double *values, size_t nr);
/* Spearman's rank correlation, ties by mean rank; 0 when either side is constant. */
double summary_spearman(const double *x, const double *y, size_t nr);

/* What the rate of an event is below, with 95 % confidence, when it came so often in so many
 * independent trials: 3/trials (rule of three) when it never came, else the exact binomial bound;
 * 1 without trials. */
double summary_rate_bound(size_t events, size_t trials);

/* Exact distribution-free interval of the median: the order statistics (rank counted from 1) whose
 * one-sided error is at most `alpha` each. rank 0: nr is too small for this alpha, then low and
 * high are the extremes and `error` (one-sided) says what they are worth. */
struct median_interval {
	double low;
	double high;
	size_t rank;
	double error;
};
struct median_interval summary_median_interval(const double *values, size_t nr, double alpha);

#endif
