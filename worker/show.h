/*
 * One side shows what it does on every case of a shape: each case is called twice, at other
 * addresses and against the other guard, and both answers are copied before anybody knows what is
 * right.
 */
#ifndef FORGE_WORKER_SHOW_H
#define FORGE_WORKER_SHOW_H

#include <stdbool.h>

#include "worker/cases.h"
#include "worker/content.h"

enum { SHOW_CALLS = 2 };

/* What one case came to. `ended` is a verdict that needs no outputs (crash, timeout, late write):
 * then the answers are not there and later cases were not called. */
struct shown {
	bool was_called;
	struct verdict ended;
	struct answer answers[SHOW_CALLS];
	bool has_same_bits;           /* both answers, all outputs */
	const char *differing_output; /* first output with other bits */
};

/* `shown` has one entry per content of the shape, zeroed. Retries when a runner is lost. Updates
 * s->call_ns. */
int show_shape(struct worker *w, struct shape_cases *s, enum party party, uint64_t call_deadline_ns,
	       struct shown *shown, struct err *e);
/* Fill in whether both answers of a case have the same bits. */
void shown_compare(struct shown *shown, const struct footprint *fp);
void shown_release(struct shown *shown, const struct footprint *fp);

/* Quickest of a few calls on every case, unjudged: what the reference takes. The deadline is
 * that of the job. A reference that does not return is an error. */
int show_time(struct worker *w, struct shape_cases *s, struct err *e);

#endif
