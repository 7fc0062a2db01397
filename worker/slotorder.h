/*
 * In which order a round runs its three slots. Random, but every block of six rounds holds each of
 * the six orders once, so that neither side profits from its place.
 */
#ifndef FORGE_WORKER_SLOTORDER_H
#define FORGE_WORKER_SLOTORDER_H

#include <stddef.h>

#include "base/rng.h"
#include "model/result.h"

struct slotorder {
	enum slot slots[SLOT_NR];
};

void slotorder_draw(struct rng *rng, struct slotorder *orders, size_t nr_rounds);

#endif
