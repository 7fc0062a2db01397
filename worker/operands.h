/*
 * Operands of one case for the correctness stage: every tensor in a region of its own, as short as
 * pages allow, so that a guard page stands at both ends. A call is made twice, once with tensors
 * pushed against the right guard and once against the left one; what lies between a tensor and the
 * end of its region is canary. The oracle's operands are the same with floats as doubles.
 */
#ifndef FORGE_WORKER_OPERANDS_H
#define FORGE_WORKER_OPERANDS_H

#include <stdbool.h>
#include <stdint.h>

#include "sys/side.h"
#include "worker/content.h"

enum placement { PLACED_RIGHT, PLACED_LEFT };

struct operands {
	const struct footprint *fp;
	bool is_oracle;
	struct region *regions; /* one per tensor argument, in argument order */
	size_t nr_regions;
	size_t *bytes;         /* per argument, as this side sees it */
	unsigned *region_of;   /* per argument */
	uint64_t *offsets;     /* per argument, set by operands_load */
	struct side_arg *args; /* per argument, set by operands_load */
	uint64_t salt;
};

int operands_make(struct operands *o, const struct footprint *fp, bool is_oracle, struct err *e);
void operands_release(struct operands *o);
#define AUTO_OPERANDS __attribute__((cleanup(operands_release)))

/* Place everything: inputs copied, outputs, workspaces and canaries poisoned with `salt`. */
void operands_load(struct operands *o, const struct content *c, enum placement where,
		   uint64_t salt);
unsigned char *operands_at(const struct operands *o, size_t arg);
/* Name of the first writable argument whose canaries were touched, or NULL. */
const char *operands_stray_write(const struct operands *o);
/* Argument that lives in a region. */
const char *operands_name_of_region(const struct operands *o, unsigned region);

#endif
