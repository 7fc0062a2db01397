/*
 * Other inputs of the same kind, for twins (worker/twin.h): what lies in memory is turned into data
 * that its group could have drawn as well. All of it changes where its kind allows that, so that
 * neither a kernel that knows inputs again nor one that compares them with earlier ones and
 * computes what differs saves work; and some of it changes by much, so that an answer to what lay
 * there before is wrong.
 */
#ifndef FORGE_WORKER_VARIATION_H
#define FORGE_WORKER_VARIATION_H

#include <stdbool.h>

struct group;
struct operand;
struct rng;

bool variation_is_possible(const struct operand *o, const struct group *group);
/* Vary the tensor at `at`. */
void variation_make(const struct operand *o, const struct group *group, unsigned char *at,
		    struct rng *rng);

#endif
