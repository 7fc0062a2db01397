/*
 * What the arguments of a task take at one shape: elements and bytes of every argument. Everything
 * that lays out, fills or checks operands starts from it.
 */
#ifndef FORGE_WORKER_FOOTPRINT_H
#define FORGE_WORKER_FOOTPRINT_H

#include <stdbool.h>
#include <stddef.h>

#include "model/task.h"

struct err;

struct operand {
	const struct arg *arg;
	size_t nr;    /* elements; 1 for scalars */
	size_t bytes; /* 0 for scalars */
	bool is_tensor;
	bool is_written;               /* mapped writable: out, inout, workspace */
	bool is_output;                /* judged: out, inout */
	bool is_input;                 /* has content before the call: in, inout */
	unsigned char scalar_bytes[8]; /* scalars only */
};

struct footprint {
	const struct shape *shape;
	struct operand *items; /* one per argument, in task order */
	size_t nr;
	size_t input_bytes;
	size_t output_bytes;
	size_t tensor_bytes; /* all tensors, workspaces too */
};

int footprint_init(struct footprint *f, const struct task *t, const struct shape *shape,
		   struct err *e);
/* Other values for the scalars that the task writes as numbers of a float type. */
void footprint_vary_scalars(struct footprint *f);
void footprint_release(struct footprint *f);

#endif
