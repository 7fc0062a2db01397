/*
 * Random lines of a sample's outputs, as they stood at the instant the runner answered. The answer
 * lies in memory that a kernel can write, so it proves nothing; outputs that are final do.
 */
#ifndef FORGE_WORKER_GLIMPSE_H
#define FORGE_WORKER_GLIMPSE_H

#include "base/rng.h"
#include "sys/side.h"
#include "worker/rotation.h"

/* Draw the places in the outputs of a round's calls. */
void glimpse_draw(struct side_glimpse *g, const struct rotation *r, const struct plan *p,
		  unsigned round, struct rng *rng);
/* NULL, or which place holds other bytes by now; borrowed for ever. */
const char *glimpse_changed(const struct side_glimpse *g);

#endif
