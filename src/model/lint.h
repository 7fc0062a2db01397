/*
 * What the lints of a task share: the loaded task, the parsed files for their line numbers, and
 * where findings go. Each lint_* function is one group of rules; task_lint runs them all.
 */
#ifndef FORGE_MODEL_LINT_H
#define FORGE_MODEL_LINT_H

#include <stdbool.h>

#include "model/task.h"

struct toml;

struct lint {
	const struct task *task;
	const struct toml *root; /* of task.toml */
	const char *task_path;
	struct findings *findings;
};

/* One group of one shape, with the path of the group in shapes.json. */
struct lint_case {
	const struct shape *shape;
	const struct group *group;
	const char *pointer;
};

#define LINT_ERROR(l, file, line, ...) finding_error((l)->findings, file, line, __VA_ARGS__)
#define LINT_WARNING(l, file, line, ...) finding_warning((l)->findings, file, line, __VA_ARGS__)

/* Line of a key of a table of task.toml; the table's own or 1 when it is not there. */
unsigned lint_line(const struct lint *l, const char *table, const char *key);
/* The table of task.toml that states the reference. */
const char *lint_reference(const struct lint *l);
/* Line in shapes.json. */
unsigned lint_shape_line(const struct lint *l, const char *pointer);

/* jansson walks only through pointers that are not const; nothing is changed. */
static inline json_t *lint_walk(const json_t *json)
{
	return (json_t *)(uintptr_t)json;
}

void lint_description(const struct lint *l);
void lint_sources(const struct lint *l);
void lint_shapes(const struct lint *l);
void lint_sizes(const struct lint *l);
void lint_generators(const struct lint *l, const struct lint_case *c);

#endif
