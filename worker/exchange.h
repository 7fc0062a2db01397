/*
 * Near twins: the same inputs but for a few elements, which changed places. A kernel that knows an
 * input again by some of its elements, or by where it lies, has the wrong answer to a
 * twin; one that computes has no trouble.
 */
#ifndef FORGE_WORKER_EXCHANGE_H
#define FORGE_WORKER_EXCHANGE_H

#include "worker/content.h"

/* May elements of this input of a group change places and still be a legal input? */
bool exchange_can(const struct operand *o, const struct group *group);
/* Let some pairs of its elements change places. */
void exchange_elements(const struct operand *o, unsigned char *in, uint64_t seed);
/* May elements of some input of a group change places and still be legal inputs? */
bool exchange_is_possible(const struct footprint *fp, const struct group *group);
/* Make a content that was filled, and not expected yet, a twin of what it was. */
void exchange_make(struct content *c, uint64_t seed);

#endif
