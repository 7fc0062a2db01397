/*
 * Starting sides and running samples on them, with the three ways that can end: it worked, the
 * object is to blame (a verdict), or somebody killed the runner (lost: the caller repeats its
 * step).
 */
#ifndef FORGE_WORKER_OUTCOME_H
#define FORGE_WORKER_OUTCOME_H

#include "model/verdict.h"
#include "sys/side.h"
#include "worker/worker.h"

enum outcome { OUTCOME_DONE, OUTCOME_VERDICT, OUTCOME_LOST };

/* How often a step is repeated when its runner was killed from outside. */
enum { LOST_RETRIES = 2 };

/* The verdict of a side that ended. `argument` names what lives in st->region; NULL: unknown. */
struct verdict outcome_verdict(const struct side_state *st, const char *argument);

struct outcome_spec {
	enum party party;
	size_t layout; /* which of the party's objects */
	const struct region *regions;
	size_t nr_regions;
};

/* The outcome, or -1. *v is filled for OUTCOME_VERDICT. Counts the time as start time. */
int outcome_start(struct worker *w, const struct outcome_spec *spec, struct side **out,
		  struct verdict *v, struct err *e);

struct outcome_call {
	struct side *side;
	const struct side_arg *args; /* nr_calls x nr_args */
	size_t nr_args;
	unsigned nr_calls;
	unsigned copy; /* of the kernel in the side's object */
	bool sleeps;   /* it is not timed, and uses more cores than a kernel of this task */
	uint64_t call_deadline_ns;
	uint64_t *counter_ns;         /* the time of the window is counted here */
	struct side_glimpse *glimpse; /* or NULL */
	/* Names the argument in a region; `ctx` is passed on. NULL: unknown. */
	const char *(*name_of)(const void *ctx, unsigned region);
	const void *ctx;
};

/* Prepare and fire. On OUTCOME_DONE *t is filled. */
int outcome_run(struct worker *w, const struct outcome_call *call, struct side_time *t,
		struct verdict *v, struct err *e);

/* Between samples: have a kernel's threads left other floating-point modes? The outcome, or -1. */
int outcome_check_pool(const struct worker *w, struct side *side, struct verdict *v, struct err *e);

/* How the worker waits for a kernel of this task, given what it may do now. */
enum side_wait outcome_wait(const struct worker *w);

/* Real-time priority for the worker itself, around what is timed; nothing where not allowed or
 * while the worker does not have the machine for itself. */
void outcome_raise(const struct worker *w);
void outcome_lower(const struct worker *w);
/* The same for a side, until it is stopped. */
void outcome_raise_side(const struct worker *w, const struct side *side);

/* Record once what the isolation of a side lacks. */
void outcome_record_lacks(struct worker *w, const struct side *side);

#endif
