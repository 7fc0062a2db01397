/*
 * The runner's memory: the two doorbell pages and the regions, each region between guard pages.
 */
#ifndef FORGE_RUNNER_ROOM_H
#define FORGE_RUNNER_ROOM_H

#include <stdint.h>

#include "sys/doorbell.h"

struct room {
	const struct doorbell_orders *orders; /* read-only in fact, not only by const */
	struct doorbell_reply *reply;
	unsigned char *regions[DOORBELL_MAX_REGIONS];
};

/* Map all from the inherited descriptors and close them. Exits on failure. */
void room_open(struct room *r);

#endif
