/*
 * The physical floor: a cold call can not take less time than its bytes take from memory, and no
 * call less than its arithmetic. What is absurdly faster did not do the work, whatever its outputs
 * say.
 */
#ifndef FORGE_WORKER_FLOOR_H
#define FORGE_WORKER_FLOOR_H

#include "model/ceilings.h"
#include "worker/worker.h"

/* Measures w->roofline; may change a passing result.verdict to TAMPER. */
void floor_check(struct worker *w);
/* Where a call of a shape stands below the roofline; its share is 0..1 or a little more. */
struct roofline_place floor_place(const struct worker *w, const struct result_shape *s,
				  double call_ns);

#endif
