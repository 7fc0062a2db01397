/*
 * One slot of a round: operands prepared, the side woken, the window, and a look at what it wrote.
 */
#ifndef FORGE_WORKER_SLOT_H
#define FORGE_WORKER_SLOT_H

#include "worker/early.h"
#include "worker/outcome.h"
#include "worker/rotation.h"
#include "worker/worker.h"

/* What a replicate has at hand for every slot. */
struct bench {
	struct worker *w;
	struct rotation *rotation;
	struct rng rng;
	struct side *sides[SLOT_NR];
	struct side_arg *args; /* room for the largest sample */
	uint64_t call_deadline_ns;

	struct early early;
	uint64_t nr_other_bits; /* timed outputs right, but not bit for bit as verified before */
};

/* One slot of one round. */
struct turn {
	const struct plan *plan;
	unsigned round;
	unsigned part;
	enum slot slot;
	unsigned copy; /* of the slot's kernel */
	bool is_warmup;
	uint64_t salt;          /* of the poison */
	struct side_time time;  /* filled on OUTCOME_DONE */
	struct verdict verdict; /* filled on OUTCOME_VERDICT */
};

enum party slot_party(enum slot slot);
/* A warm-up slot is looked at in full on every side; a timed slot only on the candidate's,
 * sometimes in full and else in part. The outcome, or -1. */
int slot_run(struct bench *b, struct turn *turn, struct err *e);

#endif
