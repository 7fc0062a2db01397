/*
 * What a result says about the machine it was measured on, and what `forge-worker probe` prints.
 */
#ifndef FORGE_WORKER_MACHINE_H
#define FORGE_WORKER_MACHINE_H

#include <jansson.h>

struct roofline;

/* CPU, caches, kernel, counters and the ceilings as far as they were measured. */
json_t *machine_to_json(const struct roofline *r);
/* As above, with everything that has to be tried out: ceilings and the sandbox's mechanisms. */
json_t *machine_probe(void);

#endif
