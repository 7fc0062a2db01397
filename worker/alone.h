/*
 * The reference alone against the reference beside the candidate. Every replicate begins with
 * rounds of R and R' of one shape, before the candidate's process was ever called; the first rounds
 * of the trial then run on the same operands, addresses and copies. What a candidate leaves behind
 * (a clock that fell, memory it holds, something that still runs) slows the reference, and a
 * reference that was slowed makes the candidate look fast.
 */
#ifndef FORGE_WORKER_ALONE_H
#define FORGE_WORKER_ALONE_H

#include <jansson.h>

#include "worker/slot.h"

enum { ALONE_ROUNDS = 8 };

/* Of one replicate. */
struct alone {
	const struct plan *plan;
	unsigned shape;
	unsigned nr; /* rounds; 0: not measured */
	uint64_t null_ns;
	/* A call of R and R' alone, by round. */
	double ns[SLOT_NR][ALONE_ROUNDS];
};

/* Warm up and measure; the copies are those of the first part, by slot. An outcome of slot_run;
 * turn->verdict is filled for OUTCOME_VERDICT. */
int alone_run(struct bench *b, struct alone *a, const unsigned copies[SLOT_NR], struct turn *turn,
	      struct err *e);
/* ln of how much slower R and R' were beside the candidate, the mean of both; NAN: unknown. The
 * samples are those of the whole trial. */
double alone_slowdown(const struct alone *a, unsigned replicate, const struct result *r);
json_t *alone_to_json(const struct alone *a, unsigned replicate, const struct result *r);

#endif
