/*
 * Did the metric that a row predicts move? Looks at the profiles of a round's kernel and of the
 * kernel that it was applied to. For gates and for the diagnosis.
 */
#ifndef FORGE_ENGINE_MOVED_H
#define FORGE_ENGINE_MOVED_H

#include "store/fold.h"

struct decision;
struct engine;

struct moved {
	enum gate_result result; /* GATE_NONE: the row predicts nothing; GATE_ERROR: no profile */
	double before;
	double after;
	const char *jobs[2]; /* that measured before and after; "" for the reference's profile */
};

struct moved moved_look(const struct engine *g, const struct decision *d,
			const struct state_round *r);

#endif
