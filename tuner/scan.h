/*
 * A running sum whose values are used is cut into parts that do not wait for each other:
 *	for (i...) { s += f(i); c[i] = s; }
 * becomes the sum of each part, the sums in front of each part, and the parts once more, each from
 * its own start. With `parts` the parts are long and may be dealt out to threads. With `u` a block
 * of iterations is cut in u rows, which then go side by side, so that their additions overlap. With
 * `lanes` what so many iterations add is summed up within a vector, and the running sum grows once
 * for all of them.
 */
#ifndef FORGE_TUNER_SCAN_H
#define FORGE_TUNER_SCAN_H

#include <stddef.h>

#include "tuner/access.h"

struct kernel;
struct stmt;
struct variant;
struct vtype;

struct scan {
	struct kernel *k;
	struct variant *v;
	struct stmt *loop;
	struct accesses list;
	const char *sum;
	const char *type;
	size_t update; /* its place in the body */
};

/* The update and the locals that it is computed from. */
struct stmt *scan_summand(const struct scan *s);
/* Each puts its loops into the block: long parts, whose length is a multiple of `unit`; blocks of
 * `size` iterations in rows; blocks of as many iterations as the vector has lanes. */
void scan_cut_parts(const struct scan *s, struct stmt *out, long nr, long unit);
void scan_cut_rows(const struct scan *s, struct stmt *out, long nr, long size);
void scan_cut_lanes(const struct scan *s, struct stmt *out, const struct vtype *t);

#endif
