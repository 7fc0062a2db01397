/*
 * What bounds each loop nest, told from the facts a scene holds: how often an element is used, how
 * far subscripts move, how many loads a step needs. A prediction, in words that the curriculum
 * carries; measurements come after it.
 */
#ifndef FORGE_TUNER_CLASSIFY_H
#define FORGE_TUNER_CLASSIFY_H

#include <stddef.h>

struct arena;
struct scene;

enum bound { BOUND_MEMORY, BOUND_GATHER, BOUND_LATENCY, BOUND_ARITHMETIC };

struct nest_class {
	const char *label; /* of the outermost loop */
	enum bound bound;
	double share;         /* of all innermost steps */
	double loads_a_step;  /* array elements read in one innermost step */
	double uses;          /* how often an element is touched in one call, on average */
	double strided_share; /* of the touches that move by more than one element in the innermost
				 loop */
};

enum { CLASSES_MAX = 16 };

struct classes {
	struct nest_class items[CLASSES_MAX];
	size_t nr;
};

/* One entry for each outermost loop with a share of the work, in the order of the source. */
void classify(struct classes *out, const struct scene *s);
/* "L0 is bound by memory: each element is used 2.0 times ...". */
const char *class_text(const struct nest_class *c, struct arena *a);

#endif
