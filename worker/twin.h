/*
 * Twins: samples on inputs that the process has never seen. The contents that are timed come back
 * in every round, so a kernel that keeps answers where nothing cleans up (freed memory, dead stack)
 * and knows its inputs again need not work. Now and then both sides are called on the round's
 * inputs with a few elements a hair smaller: the candidate's answers are held against the
 * reference's, and its time against its own in the same round. Once or twice a replicate it is
 * shown strange rows among ordinary ones as well: the judge's stage does so, and where operands lie
 * tells a kernel which stage it is in.
 */
#ifndef FORGE_WORKER_TWIN_H
#define FORGE_WORKER_TWIN_H

#include "worker/slot.h"

struct err;

/* How much longer than in its round the candidate took, and the reference. */
struct twin {
	unsigned shape;
	unsigned series; /* of rounds, one for each shape and replicate; from 1 */
	unsigned pass;   /* through the rounds (worker/passes.h) */
	double candidate;
	double reference;
	bool has_waited; /* one of the four windows spent a part of its time waiting for a core */
};

struct twins {
	struct twin *items;
	size_t nr;
	size_t cap;
	unsigned series;   /* under way */
	unsigned nr_due;   /* of the shape and replicate under way */
	unsigned nr_mixed; /* of them were shown with strange rows as well */
};

void twins_release(struct twins *x);

/* How much longer a twin took than its round. */
double twin_factor(double ns, double ns_in_round);

/* Is that part of a window too much? */
bool twin_waits(uint64_t wait_ns, double ns);

struct twin_spec {
	const struct turn *turn; /* the round that was just timed */
	unsigned shape;          /* its index in the result */
	unsigned reference_copy; /* of the kernels */
	unsigned candidate_copy;
	uint64_t null_ns; /* round trip to take off */
	unsigned pass;    /* through the rounds of the shape in this replicate */
	unsigned round;   /* number that its samples have: counted over all passes */
};

/* The outcome, or -1. What was changed is as it was. Nothing happens for most rounds, drawn at
 * random, and where no input is a floating-point tensor that kernels only read. */
int twin_run(struct twins *x, struct bench *b, const struct twin_spec *how, struct verdict *v,
	     struct err *e);
/* May turn a pass into the verdict remembered. */
void twins_check(const struct twins *x, struct worker *w);

#endif
