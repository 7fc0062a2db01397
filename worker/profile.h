/*
 * Flat metrics of both sides for mechanism rows and the report: facts of the object code from the
 * build, counters and times from the trial.
 */
#ifndef FORGE_WORKER_PROFILE_H
#define FORGE_WORKER_PROFILE_H

#include "model/ceilings.h"
#include "worker/slot.h"
#include "worker/worker.h"

/* Counters of the reference and the candidate on one shape, while their sides are alive. Best
 * effort: a side that fails here leaves no counters. */
void profile_count(struct bench *b, const struct plan *p);
/* Everything else; call once at the end of the job. */
void profile_finish(struct worker *w);
/* Add a metric of a party. */
void profile_set(struct worker *w, enum party p, const char *metric, double value);
/* Add the facts of a party's object code. */
void profile_set_facts(struct worker *w, enum party p);
/* Index of the shape that moves most bytes: the one that a profile speaks of. */
unsigned profile_largest_shape(const struct result *r);
/* Where a party's kernel stands below the roofline. */
void profile_set_place(struct worker *w, enum party p, struct roofline_place place);

#endif
