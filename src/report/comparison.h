/*
 * Did the harness earn its keep? Runs of `forge run` against control arms (`forge goal`) of the
 * same task: each pair's ratio with an interval, and one sentence over all of them that never says
 * more than its interval. A run that confirmed nothing counts as the reference itself: that is what
 * its user is left with.
 */
#ifndef FORGE_REPORT_COMPARISON_H
#define FORGE_REPORT_COMPARISON_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "store/fold.h"

struct err;

struct compare_run {
	const char *dir; /* borrowed */
	struct run_state state;
	bool is_paired;
};

/* Ratios are control's time / harness's time: above 1 the harness's kernel is the faster. */
struct compare_pair {
	const struct compare_run *harness;
	const struct compare_run *control;
	double ratio;
	double low;
	double high;
	double confidence; /* of [low, high], as far as measuring goes */
	bool is_direct;    /* both kernels in one job, and not by way of the reference */
};

struct compare_total {
	size_t nr;          /* units: pairs of one task, or tasks */
	bool is_over_tasks; /* a task counts once, by the median of its pairs */
	double ratio;       /* median */
	double low;
	double high;
	double confidence; /* that the median of such units lies in [low, high] */
	bool is_decided;   /* enough units for 95 % */
};

struct compare {
	struct compare_run *runs;
	size_t nr_runs;
	struct compare_pair *pairs;
	size_t nr_pairs;
	struct strv left_out; /* runs without a partner, and why */
	struct compare_total total;
};

/* Load the runs and pair them: within a task by seed, else in the order given. A pair that differs
 * in task, judge, agents, budget, machine or forge is none. ERR_INPUT for a run that is not over.
 */
int compare_load(struct compare *c, const char *const *dirs, size_t nr, struct err *e);
/* Take a measurement of both kernels in one job (the control's in the place of the reference). */
void compare_set_direct(struct compare_pair *pair, const struct state_estimate *est);
/* After the last compare_set_direct: the total. */
void compare_conclude(struct compare *c);
void compare_text(const struct compare *c, struct str *out);
json_t *compare_json(const struct compare *c);
void compare_release(struct compare *c);
#define AUTO_COMPARE __attribute__((cleanup(compare_release)))
/* The confirmed speed-up of a run over the reference; 1 without one. */
double compare_speedup(const struct compare_run *run);

#endif
