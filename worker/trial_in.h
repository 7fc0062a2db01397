/*
 * A trial while it runs, for trial.c and the part of it that writes the result.
 */
#ifndef FORGE_WORKER_TRIAL_IN_H
#define FORGE_WORKER_TRIAL_IN_H

#include "worker/alone.h"
#include "worker/contention.h"
#include "worker/history.h"
#include "worker/slot.h"
#include "worker/slotorder.h"
#include "worker/twin.h"

struct trial {
	struct bench bench;
	struct plan *plans;
	size_t nr_plans;
	struct slotorder *orders; /* of the timed rounds, then of the warm-up before each part */
	size_t copies[SLOT_NR][BUILD_MAX_COPIES]; /* which one each part takes */
	struct contention contention;
	uint64_t *null_ns;   /* per replicate */
	struct alone *alone; /* per replicate */
	struct history history;
	struct twins twins;
	unsigned replicate;
	unsigned pass; /* through the rounds of a shape, of this replicate */
};

/* The shapes that are timed, for the result. */
void trial_list_shapes(struct trial *t);
/* The "timing" part of the result, once the samples are there. */
void trial_record(const struct trial *t);

#endif
