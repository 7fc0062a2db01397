/*
 * The search for a plan: structure before numbers, a model ranks before the clock decides, a best
 * plan for each compiler, and what does not pay is taken out at the end. Measurements are the lab's
 * and only advise: forge judges and times every row again.
 */
#ifndef FORGE_TUNER_CAMPAIGN_H
#define FORGE_TUNER_CAMPAIGN_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/lab.h"
#include "tuner/plan.h"

struct arena;
struct say;
struct strv;
struct tuner_task;

enum { NEAR_MAX = 6 };

struct campaign_setup {
	struct arena *a;
	const struct tuner_task *task;
	const char *source;
	struct lab *lab;
	const struct strv *banned; /* rows that were refused before; may be NULL */
	const struct say *say;
};

/* A plan that was measured. */
struct measured_plan {
	struct plan plan;
	double ratio; /* speed-up over the reference, by the lab */
};

struct discovery {
	struct measured_plan best;
	/* Plans that differ from the best in one number or build and came close, best first. */
	struct measured_plan near[NEAR_MAX];
	size_t nr_near;
	double steps[PLAN_ROWS]; /* ratio of the best plan's first n + 1 rows; 0: not measured */
	size_t evaluations;
	double seconds;
};

/* False when nothing was better than the reference as it is. */
bool campaign_run(const struct campaign_setup *setup, struct discovery *out);

#endif
