/*
 * Work outside of the window. A kernel shares its process with the runner's code and can take its
 * place: then it learns the operands of a sample when they are announced, before the clock starts,
 * and it need not sleep while others are timed. Neither changes an answer. So how long a side takes
 * to stand ready is held against what the reference takes for the same operands, and its CPU clock
 * is looked at before it is called.
 */
#ifndef FORGE_WORKER_EARLY_H
#define FORGE_WORKER_EARLY_H

#include <stddef.h>
#include <stdint.h>

#include "model/result.h"

struct worker;

/* From the order to prepare to the answer. */
struct early_time {
	unsigned shape;
	enum slot slot;
	double ns;
};

struct early {
	struct early_time *items;
	size_t nr;
	size_t cap;
	uint64_t asleep_cpu_ns; /* the candidate's CPU clock when it was last seen asleep; 0: never
				 */
	unsigned nr_sleeps;     /* so often it was looked at again */
	unsigned nr_awake;      /* and had used a CPU meanwhile */
};

void early_release(struct early *x);
void early_note(struct early *x, unsigned shape, enum slot slot, uint64_t ns);
/* The candidate's CPU clock now that it sleeps, and before it is called. In between nobody may have
 * called it. */
void early_asleep(struct early *x, uint64_t cpu_ns);
void early_called(struct early *x, uint64_t cpu_ns);
/* May turn a pass into the verdicts clock_disagrees and cpu_after_return. */
void early_check(const struct early *x, struct worker *w);

#endif
