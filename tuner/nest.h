/*
 * What the loops of a kernel look like to the teacher: how they nest, how long they run at the
 * visible sizes, which may be dealt out to threads, which carry reductions.
 */
#ifndef FORGE_TUNER_NEST_H
#define FORGE_TUNER_NEST_H

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct kernel;

struct nest_loop {
	const char *label;
	unsigned depth; /* 0: outermost */
	bool is_innermost;
	bool is_triangular; /* the length of a loop inside depends on its counter */
	double least;       /* iterations over the visible sizes; 0: not known */
	double most;
	double starts;      /* how often it begins in one call, at the largest size */
	double work;        /* iterations of innermost loops in one run of it, likewise */
	const char *shared; /* NULL: proved independent; else why not */
	const char *lanes;  /* NULL: may run in lanes; else why not; innermost loops only */
	bool has_call;
	bool is_reduction;
	bool is_unit;
};

struct nest {
	struct nest_loop *items; /* in the order of the source, outer before inner */
	size_t nr;
	double work; /* of one call at the largest size */
};

/* The kernel should be specialised already: the more numbers, the more is known. */
void nest_study(struct nest *n, const struct kernel *k, struct arena *a);
/* Whether `inner` lies inside `outer`, by their labels. */
bool label_is_inside(const char *inner, const char *outer);

#endif
