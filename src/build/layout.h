/*
 * Layouts: the same leaf object linked several times behind padding of different sizes, so that a
 * replicate of a trial never repeats one address luck (same instructions, other place: up to
 * 29 % apart on some kernels). What matters most are the lowest bits of an address above a cache
 * line (branch predictors hash them), so an object for a trial holds the kernel several times, one
 * copy for each of their values: a replicate goes through all of them and their effect averages
 * out. Link-time flags are ours alone: with -ffast-math at link time a start file would change the
 * floating-point mode of the whole process.
 */
#ifndef FORGE_BUILD_LAYOUT_H
#define FORGE_BUILD_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "build/build.h"
#include "build/directive.h"

struct cache;
struct err;
struct toolbox;
struct verdict;

enum { LAYOUT_STEP_BYTES = 512, LAYOUT_STEPS = 64 };

/* Padding of layout i, a multiple of 512 below 32 KiB; the first 64 of a seed all differ. */
size_t layout_padding(uint64_t seed, unsigned i);

struct layout_spec {
	const struct toolbox *toolbox;
	const struct cache *cache;
	const struct task *task;
	enum build_role role;
	enum compiler compiler;
	unsigned nr_layouts;
	unsigned nr_copies; /* of the kernel in each; 1 to BUILD_MAX_COPIES */
	bool is_lent;       /* the runner lends a runtime: its functions stay undefined */
	uint64_t seed;
};

/* Compile the call shim: out/shim.o. */
int layout_shim(const struct layout_spec *s, struct err *e);
/* With more than one copy: make them, out/copy<k>.o and out/place<k>.o. Then link them once per
 * layout, or take them from the cache, and append the paths. An object that does not link is a
 * verdict. */
int layout_link(const struct layout_spec *s, struct strv *so_paths, struct verdict *v,
		struct str *log, struct err *e);

#endif
