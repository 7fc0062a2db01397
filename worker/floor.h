/*
 * The physical floor: a cold call can not take less time than its bytes take from memory, and no
 * call less than its arithmetic. What is absurdly faster did not do the work, whatever its outputs
 * say.
 */
#ifndef FORGE_WORKER_FLOOR_H
#define FORGE_WORKER_FLOOR_H

#include "worker/worker.h"

/* Measures w->roofline; may change a passing result.verdict to TAMPER. */
void floor_check(struct worker *w);
/* Share of the roofline that a time means for a shape, 0..1 or a little more; 0: unknown. */
double floor_roofline_share(const struct worker *w, const struct result_shape *s, double call_ns);

#endif
