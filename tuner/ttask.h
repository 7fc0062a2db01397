/*
 * What a turn tells about the task: the interface, the visible sizes, the threads. Read once from
 * the turn's data; all text lives in the arena.
 */
#ifndef FORGE_TUNER_TTASK_H
#define FORGE_TUNER_TTASK_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "model/expr.h"

struct arena;
struct err;

struct tuner_arg {
	const char *name;
	bool is_scalar;
	bool is_size;         /* an integer scalar whose value follows from the dims */
	const char *value;    /* expression, or the dim of the same name */
	const char *elements; /* of an array: expression; NULL: not told */
};

struct tuner_shape {
	const char *name;
	struct dims dims;
	struct dims sizes; /* integer scalar arguments and their values */
	double ns;         /* of the reference at this size; 0: not told */
};

struct tuner_task {
	const char *entry;
	unsigned threads;
	struct tuner_arg *args;
	size_t nr_args;
	struct tuner_shape *shapes;
	size_t nr_shapes;
	const char *bytes; /* expression or NULL */
	const char *flops;
	bool has_clang;
	bool has_wide_vectors; /* of 512 bits */
};

/* `data` is the data of any turn. */
int tuner_task_read(struct tuner_task *t, const json_t *data, struct arena *a, struct err *e);
bool tuner_task_is_size(const struct tuner_task *t, const char *name);

#endif
