/*
 * Strange rows among ordinary ones. The data of one group are taken and a few rows at random places
 * are replaced: by those of another group, zeros, the row above with or without one element
 * changed, the row scaled down or up, or one element at an end of the range. A kernel that looks at
 * samples to decide which data it has, and is right for each kind by itself, is wrong here.
 * Whatever is made lies within the range of what the groups hold: what the task's own data may be,
 * these may be as well.
 */
#ifndef FORGE_JUDGE_MIXTURE_H
#define FORGE_JUDGE_MIXTURE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/dtype.h"

/* Of the finite values of all groups. */
struct mixture_range {
	double low;
	double high;
	bool is_known;
};

struct mixture_spec {
	enum dtype dtype; /* a float type */
	size_t nr;
	size_t row_len;            /* the last row may be shorter */
	const void *const *groups; /* the argument's data in every group */
	size_t nr_groups;
	struct mixture_range *range; /* measured by the first call; NULL: by every one */
	size_t base;                 /* whose data are ordinary here */
	size_t nr_strange;           /* rows to be replaced; some may be drawn twice */
	uint64_t seed;
};

/* False for a generator whose values stand in an order or have a meaning that a change would
 * break. */
bool mixture_is_free(const json_t *generator);
void mixture_fill(const struct mixture_spec *spec, void *out);
/* How long a row of an argument is for mixing: an innermost row, or a piece of a vector. */
size_t mixture_row_len(size_t rank, size_t innermost, size_t nr);

#endif
