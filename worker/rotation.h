/*
 * Operands of timed calls: two regions shared by all three sides (inputs read-only, the rest
 * writable), in which every shape lays out its rotating sets anew for each replicate. Own pages for
 * each side would bias cold kernels by up to 9 %, so there is one set of pages for all.
 */
#ifndef FORGE_WORKER_ROTATION_H
#define FORGE_WORKER_ROTATION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/rng.h"
#include "sys/side.h"
#include "worker/cases.h"

enum { ROTATION_INPUTS, ROTATION_WRITABLE, ROTATION_REGIONS };

/* How one shape is timed. */
struct plan {
	struct shape_cases *s;
	struct content **contents; /* of timed groups, in whole turns */
	size_t nr_contents;
	size_t nr_groups; /* of a turn */
	unsigned nr_sets;
	unsigned nr_calls;   /* of one sample, each on a set of its own: <= nr_sets */
	unsigned nr_rounds;  /* a multiple of nr_parts */
	unsigned nr_parts;   /* so many copies of each kernel a replicate goes through */
	unsigned nr_warmups; /* rounds before the first part */
	bool warms_parts;    /* one before each other part */
	bool warms_pages;    /* translations of a sample's operands are made before its window */
	size_t set_bytes[ROTATION_REGIONS]; /* room for one set, shifts included */
	uint64_t *offsets;                  /* nr_sets x arguments, set by rotation_place */
};

/* False when the shape has no timed group. */
bool plan_init(struct plan *p, const struct worker *w, struct shape_cases *s);
void plan_release(struct plan *p);
/* Which content a set holds. */
struct content *plan_content(const struct plan *p, unsigned set);
/* Long samples of sides so far apart that a few rounds tell. */
bool plan_is_far_apart(const struct plan *p);
/* The set of call `call` in round `round`. */
unsigned plan_set(const struct plan *p, unsigned round, unsigned call);

struct rotation {
	struct region regions[ROTATION_REGIONS];
	bool is_cold;
	size_t used_bytes; /* of the writable region, by the shape that lies there */
};

int rotation_make(struct rotation *r, const struct plan *plans, size_t nr, bool is_cold,
		  struct err *e);
void rotation_release(struct rotation *r);
#define AUTO_ROTATION __attribute__((cleanup(rotation_release)))

/* Draw new addresses for all sets of a shape and copy the contents there. */
void rotation_place(struct rotation *r, struct plan *p, struct rng *rng);
unsigned char *rotation_at(const struct rotation *r, const struct plan *p, unsigned set,
			   size_t arg);
/* Copy what its content says into an input of a set. */
void rotation_restore(const struct rotation *r, const struct plan *p, unsigned set, size_t arg);
/* Argument beside whose memory of this shape somebody has written, NULL: none. What is left over
 * beyond the shape's sets is looked at in part, from a random place on, and then named "". */
const char *rotation_stray_write(const struct rotation *r, const struct plan *p, struct rng *rng);
/* nr_calls x arguments of a round. */
void rotation_args(const struct plan *p, unsigned round, struct side_arg *args);
/* Make the sets of a round ready for one slot: inout restored, writable tensors
 * poisoned (if told), and in cold mode nothing of them left in any cache. */
void rotation_prepare(struct rotation *r, const struct plan *p, unsigned round, bool with_poison,
		      uint64_t salt);

#endif
