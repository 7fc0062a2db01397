/*
 * Pushing a strip loop inward: it leaves its place around a body and stands around every group of
 * statements in it, below the loops whose bounds are the same for all its iterations. Locals that
 * live from one group to another become arrays with an element for each iteration.
 */
#ifndef FORGE_TUNER_PUSH_H
#define FORGE_TUNER_PUSH_H

#include "tuner/ir.h"

struct cut;

/* Changes the body of c->main, which is shifted already. NULL, or why it can not be done. */
const char *push_strips(struct cut *c, enum loop_role role);

#endif
