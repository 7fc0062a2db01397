/*
 * How one shape is timed on a GPU: how many calls a sample has, on how many windows of sets, and
 * which contents they hold. Everything that a replicate does not change.
 */
#ifndef FORGE_WORKER_GPU_PLAN_H
#define FORGE_WORKER_GPU_PLAN_H

#include "worker/cases.h"
#include "worker/gpu_bench.h"

/* Fingerprints of outputs of one content that were judged right. */
struct gpu_known {
	uint64_t *prints; /* nr x outputs */
	size_t nr;
};

struct gpu_plan {
	struct shape_cases *s;
	struct content **contents; /* of timed groups, and the near twin of one */
	unsigned nr_contents;
	unsigned nr_groups;
	unsigned *order; /* places in contents, in whole turns of all groups */
	unsigned nr_order;
	unsigned nr_twins; /* contents behind them, for twins (worker/gpu_twin.h) */
	unsigned nr_outputs;
	unsigned nr_calls; /* of one sample, each on a set of its own: whole turns, as memory allows
			    */
	unsigned nr_windows; /* of so many sets; rounds take turns */
	unsigned nr_rounds;
	struct gpu_known *known; /* by content, of the candidate */
	struct gpu_recorded recorded[GPU_PARTIES];
	bool is_recorded;
};

/* False when the shape has no timed group. */
bool gpu_plan_init(struct gpu_plan *p, const struct worker *w, struct shape_cases *s);
void gpu_plan_release(struct gpu_plan *p);
/* Which content call `call` of a round works on. Every group weighs the same in every sample of
 * whole turns. */
unsigned gpu_plan_content(const struct gpu_plan *p, unsigned round, unsigned call);
bool gpu_known_has(const struct gpu_plan *p, unsigned content, const uint64_t *prints);
void gpu_known_add(struct gpu_plan *p, unsigned content, const uint64_t *prints);

#endif
