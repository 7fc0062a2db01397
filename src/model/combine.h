/*
 * A dispatch kernel: several kernels of one task as one C file, each under names of its own, and an
 * entry that asks its integer arguments which of them is called. Pure text; what the compiler makes
 * of it is judged like any candidate.
 */
#ifndef FORGE_MODEL_COMBINE_H
#define FORGE_MODEL_COMBINE_H

#include <stddef.h>

struct err;
struct str;
struct task;

struct combine_part {
	const char *name; /* for people: "round 3" */
	const char *source;
};

struct combine_spec {
	const struct task *task;
	const char *build; /* "gcc -O3", for the build directive; NULL: none */
	const struct combine_part *parts;
	size_t nr_parts;
	/* Of each shape of the task, the part that serves it. Held-out shapes get no branch of
	 * their own: like every size that is not visible they are served by part 0. */
	const size_t *part_of;
};

/* ERR_INPUT, in words that a report can show, when it can not be written: a source does not define
 * the entry where it can be found, or the entry's integers do not tell two shapes apart. */
int combine_write(const struct combine_spec *spec, struct str *out, struct err *e);

#endif
