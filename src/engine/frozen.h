/*
 * What may not change once the judge is frozen: the task, the judge with its tolerances, and the
 * reference. Digests stand in judge_frozen; every later start of a run computes them again.
 */
#ifndef FORGE_ENGINE_FROZEN_H
#define FORGE_ENGINE_FROZEN_H

#include "base/digest.h"

struct err;
struct state_judge;

struct frozen {
	struct digest task;
	struct digest check;
	struct digest reference;
};

int frozen_read(const char *run_dir, struct frozen *f, struct err *e);
/* ERR_CONFLICT names the part that changed and the cure. Before the freeze: 0. */
int frozen_verify(const char *run_dir, const struct state_judge *judge, struct err *e);

#endif
