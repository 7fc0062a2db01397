/*
 * How many times a replicate goes through the rounds of a shape. The median of a few long rounds is
 * coarse where neighbours pull on the same memory: rounds are added while the reference, held
 * against itself, has not come to rest. The candidate's times have no say in it.
 */
#ifndef FORGE_WORKER_PASSES_H
#define FORGE_WORKER_PASSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "worker/rotation.h"

struct sample;
struct worker;

/* At most so many for this shape; 1 where two sides so far apart need no more, or nothing is
 * decided. */
unsigned passes_most(const struct worker *w, const struct plan *p);

/* Standard error of the median of ln(R/R') over whole rounds (SLOT_NR samples each, one behind the
 * other); NaN without rounds. */
double passes_scatter(const struct sample *samples, size_t nr);

/* Is one more wanted, after `done` of them took these samples? */
bool passes_go_on(const struct worker *w, const struct plan *p, unsigned done,
		  const struct sample *samples, size_t nr);

/* Is there time for it, in the replicate and in the job, when `done` of them took so long? */
bool passes_have_time(const struct worker *w, unsigned replicate, unsigned done, uint64_t taken_ns);

#endif
