/*
 * A task without a reference: the student writes generation 0 from the description alone, and the
 * judge alone says whether it is one (DESIGN.md 5). From then on the run is one in source mode.
 */
#ifndef FORGE_ENGINE_GENERATE_H
#define FORGE_ENGINE_GENERATE_H

struct engine;
struct err;
struct result;

/* Have the kernel of this attempt written, unless it is there. A task with a reference: nothing. */
int generate_reference(struct engine *g, struct err *e);
/* The kernel did not pass: what its author is told next time. `result` NULL: its job failed with
 * what `e` says, which is taken for the kernel's own fault and cleared. */
int generate_refuse(struct engine *g, const struct result *result, struct err *e);

#endif
