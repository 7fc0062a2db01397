/*
 * A trial on a GPU while it runs, for gpu_trial.c, the rounds (gpu_round.c) and the part that
 * writes the result (gpu_record.c).
 */
#ifndef FORGE_WORKER_GPU_TRIAL_IN_H
#define FORGE_WORKER_GPU_TRIAL_IN_H

#include <jansson.h>

#include "base/rng.h"
#include "worker/gpu_plan.h"
#include "worker/history.h"
#include "worker/slotorder.h"
#include "worker/twin.h"

/* What the device said of its clocks. */
struct gpu_clocks {
	double sm_mhz_low;
	double sm_mhz_high;
	double temperature_high;
	uint64_t throttle; /* all reasons seen */
	unsigned nr;
	unsigned nr_disturbed; /* rounds in which it was slowed down for its own protection */
	unsigned nr_rounds;
};

struct gpu_trial {
	struct worker *w;
	struct gpu_device *device;
	/* Of a candidate that is a module, whose host code runs in its device process: that one has
	 * a process to itself, and slots take turns between two contexts. */
	struct gpu_device *apart;
	/* Some sample was launched by host code inside of its window; and nothing was held for it.
	 */
	bool is_direct[GPU_PARTIES];
	bool is_unheld[GPU_PARTIES];
	bool is_host_slow; /* the candidate's, and it was said */
	struct gpu_plan *plans;
	size_t nr_plans;
	struct slotorder *orders;
	struct rng rng;
	unsigned replicate;
	uint64_t nr_other_bits; /* timed outputs right, but not bit for bit as verified before */
	double *null_ns;        /* of an empty window, per replicate */
	struct gpu_rates rates; /* copied in this job, computed when the ceilings were measured */
	struct gpu_clocks clocks;
	struct twins twins;
	struct history history;
};

/* One slot of one round. */
struct gpu_turn {
	struct gpu_plan *plan;
	unsigned round;
	unsigned first; /* set */
	enum slot slot;
	unsigned order;
	bool is_warmup;
	bool is_twin;       /* on the twins' contents */
	unsigned twin_from; /* call of the first of them */
	uint64_t salt;
	double event_ns;
	double sync_ns;
	double wall_ns;
};

/* The device process that a slot lives in. */
struct gpu_device *gpu_trial_device(const struct gpu_trial *t, enum slot slot);
/* One round of a plan: three slots. An enum outcome, or -1; *v for VERDICT. */
int gpu_round_run(struct gpu_trial *t, struct gpu_plan *p, unsigned round, bool is_warmup,
		  struct verdict *v, struct err *e);
/* One sample of a slot, without a look at its outputs: an enum outcome, or -1. */
int gpu_turn_fire(struct gpu_trial *t, struct gpu_turn *turn, struct verdict *v, struct err *e);
/* Its outputs of one call, by argument, in memory of pages_new. */
int gpu_turn_read(struct gpu_trial *t, const struct gpu_turn *turn, unsigned call,
		  unsigned char **got, struct err *e);
/* Look at the device's clocks; true: it was slowed down for its own protection. */
int gpu_clocks_look(struct gpu_trial *t, bool *is_disturbed, struct err *e);

/* The "timing" part of the result, and verdicts that numbers alone give. */
void gpu_trial_record(struct gpu_trial *t);
void gpu_trial_check(struct gpu_trial *t);

#endif
