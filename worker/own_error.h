/*
 * The reference's own error on the very inputs of a case (docs/decision/0006). Tolerances are made
 * of the reference's largest error over some draws of inputs, but where an operator cancels, a
 * later draw can be far harder than all of those. What the reference itself reaches there is the
 * measure then: twice that, as ever, if it is more than the frozen tolerance. Only a reference from
 * which the tolerances were made may say so.
 */
#ifndef FORGE_WORKER_OWN_ERROR_H
#define FORGE_WORKER_OWN_ERROR_H

#include <stdbool.h>
#include <stdint.h>

#include "worker/cases.h"

/* May the reference of this job widen a tolerance? */
bool own_error_is_granted(const struct worker *w);
/* Take the errors of one answer of the reference into c->own. What does not look like the same
 * computation (NaN, poison, an error beyond any rounding) leaves it as it was. */
int own_error_take(struct content *c, const struct answer *a, struct err *e);
/* Let the reference answer every case of the shape, and take the errors of all. */
int own_error_learn(struct worker *w, struct shape_cases *s, uint64_t call_deadline_ns,
		    struct err *e);

#endif
