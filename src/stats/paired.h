/*
 * The decision rule of a paired trial (DESIGN.md 8). K replicates (fresh processes and layouts) of
 * n rounds, each with one time of the reference R, the candidate C and the reference again R':
 *
 *   theta_k = median_j ln(R/C)      phi_k = median_j ln(R/R')      (mean over shapes)
 *   floor   = max(max_k |phi_k|, historic floor)      delta = ln(1 + max(1 %, floor))
 *   FASTER iff min_k theta_k > delta, SLOWER iff max_k theta_k < -delta, else UNDECIDED
 *
 * If the median replicate gains no more than delta, each theta_k passes it with probability <= 1/2,
 * so FASTER is wrong with probability <= 2^-K: 25 % for K=2, which is a screen that only saves time
 * and never decides anything, 0.4 % for K=8, 0.0015 % for K=16. No distribution is assumed.
 */
#ifndef FORGE_STATS_PAIRED_H
#define FORGE_STATS_PAIRED_H

#include <stdbool.h>
#include <stddef.h>

struct err;

enum call { CALL_UNDECIDED, CALL_FASTER, CALL_SLOWER };

/* One round: three times of one call each, in any one unit. */
struct paired_round {
	unsigned shape;
	unsigned replicate;
	unsigned round;
	double reference_ns;
	double candidate_ns;
	double again_ns;         /* R' */
	bool is_reference_first; /* R ran before C */
	bool is_dropped;         /* by covariates, never by value */
};

struct paired_spec {
	const struct paired_round *rounds; /* any order */
	size_t nr_rounds;
	unsigned nr_shapes;
	unsigned nr_replicates; /* K */
	double historic_floor;  /* of earlier null trials on this machine, as a fraction; 0: none */
	const double *shape_floors; /* the same for each shape instead; NULL: none */
	/* How much slower the reference was beside the candidate than alone, ln, of as many
	 * replicates as could tell: 0.02 is 2 %. NULL: nobody looked. */
	const double *beside;
	size_t nr_beside;
};

/* speedup is reference time / candidate time. */
struct estimate {
	enum call call;
	unsigned replicates;
	double speedup;    /* exp(median_k theta_k) */
	double low;        /* exp(min_k theta_k) */
	double high;       /* exp(max_k theta_k) */
	double confidence; /* of [low, high]: 1 - 2^-(K-1) */
	double floor;      /* noise floor, as a fraction: 0.01 is 1 % */
	double delta;      /* in ln: what min theta had to pass */
	double alpha;      /* bound of the probability that FASTER is wrong: 2^-K */
	/* Median over replicates, ln; 0 when nobody looked. Slowed: every replicate says so, by
	 * more than delta. What the reference lost beside the candidate is not the candidate's
	 * gain: when every replicate lost more than any noise explains, the median is a floor. */
	double beside;
	bool is_reference_slowed;
	/* Diagnostics: they never change the call. */
	double drift;      /* mean Spearman correlation of ln(R/C) with the round */
	double carry_over; /* median ln(R/C) when R ran first less when C ran first */
	double round_low;  /* median of the replicates' exact 99 % intervals of theta, lower ends */
	double round_high; /* the same, upper ends */
	size_t nr_used;    /* rounds */
	size_t nr_dropped;
	double reference_ns; /* median over all used rounds; NaN in the estimate over all shapes */
	double candidate_ns;
};

struct paired {
	struct estimate all;     /* geometric mean over shapes */
	struct estimate *shapes; /* nr_shapes */
	size_t nr_shapes;
};

/* Error when a shape has no round in a replicate or a time is not positive and finite. */
int paired_evaluate(struct paired *p, const struct paired_spec *spec, struct err *e);
void paired_release(struct paired *p);
#define AUTO_PAIRED __attribute__((cleanup(paired_release)))

const char *call_name(enum call c); /* "faster", "slower", "undecided" */

#endif
