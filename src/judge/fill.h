/*
 * Input data: fills one argument of one case as the group's generator says. Bits depend only on
 * (job seed, shape, group, argument, element), so that worker, judge and every later backend draw
 * the same. The generators are rows of model/generators.def; their meaning is in fill.c.
 */
#ifndef FORGE_JUDGE_FILL_H
#define FORGE_JUDGE_FILL_H

#include <stdint.h>

struct arg;
struct err;
struct group;
struct shape;

/* `arg` is an in or inout argument; `out` has room for all its elements, in its own
 * dtype. A parameter that is missing, malformed or leads to a value the dtype can not hold is
 * ERR_INPUT that names group and argument. */
int fill_arg(const struct arg *arg, const struct shape *shape, const struct group *group,
	     uint64_t job_seed, void *out, struct err *e);

/* The seed of an argument's data: what a failing case prints to be reproduced. */
uint64_t fill_seed(uint64_t job_seed, const char *shape, const char *group, const char *arg);

#endif
