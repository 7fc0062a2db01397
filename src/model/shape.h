/*
 * Shapes, groups and cases: one size of the operator, one kind of input data, and their product.
 * Loaded from shapes.json (docs/format/shapes.md). Immutable once loaded; lives in the task's
 * arena.
 */
#ifndef FORGE_MODEL_SHAPE_H
#define FORGE_MODEL_SHAPE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/expr.h"

struct arena;
struct err;

struct shape {
	const char *name;
	struct dims dims;
	bool held_out; /* never shown to the student, never timed before confirm */
	/* groups of this shape: the common ones first, then its own */
	struct group *groups;
	size_t nr_groups;
};

struct group {
	const char *name;
	const char *purpose;
	bool is_timed;
	/* argument name -> generator object {"kind": ..., ...}; borrowed from the shapes document
	 */
	const json_t *inputs;
};

struct shapes {
	struct shape *items;
	size_t nr;
	json_t *doc; /* owned; released by shapes_release */
	const char *path;
};

int shapes_load(struct shapes *s, const char *path, struct arena *a, struct err *e);
void shapes_release(struct shapes *s);
const struct shape *shapes_find(const struct shapes *s, const char *name);

#endif
