/*
 * Probes: contents that no group describes, made from those of a shape's groups once their cases
 * passed, and judged like them. "mixed" are strange rows among ordinary ones with other values of
 * the scalars (judge/mixture.h), "scaled" and "zeroed" hold a task to what it declares linear
 * (judge/linear.h).
 */
#ifndef FORGE_WORKER_PROBE_H
#define FORGE_WORKER_PROBE_H

#include <stdint.h>

#include "worker/cases.h"

struct err;
struct judgement;

/* Ask the candidate; its cases of this shape have passed, and inputs and expected values are still
 * in memory. out->verdict is that of the first probe that it fails, else NONE. A probe that the
 * reference fails as well says nothing and is dropped. */
int probe_candidate(struct worker *w, struct shape_cases *s, uint64_t call_deadline_ns,
		    struct judgement *out, struct err *e);
/* Is the reference linear in what the task says? An error that names the case if not. */
int probe_reference(struct worker *w, const struct tolerances *t, struct shape_cases *s,
		    struct err *e);

#endif
