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
	const char *source; /* what rows apply to */
	struct plan start;  /* rows that the reference was made by; nr 0: it is the source */
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
	struct plan changes;      /* from the start to the best plan, see plan_difference */
	double steps[PLAN_ROWS];  /* ratio after the first n + 1 of them; 0: not measured */
	bool is_whole[PLAN_ROWS]; /* whether the plan after them applies */
	size_t evaluations;
	double seconds;
};

/* False when nothing was better than the reference as it is: where the reference holds rows, by
 * more than two of its timings differ. */
bool campaign_run(const struct campaign_setup *setup, struct discovery *out);

#endif
