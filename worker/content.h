/*
 * The data of one case: what goes in, what must come out, and which bits each side was first seen
 * to answer with. Expected values live here, in the worker's own memory, and are never mapped into
 * a runner.
 */
#ifndef FORGE_WORKER_CONTENT_H
#define FORGE_WORKER_CONTENT_H

#include <stdbool.h>
#include <stdint.h>

#include "judge/compare.h"
#include "judge/judge.h"
#include "worker/fingerprint.h"
#include "worker/footprint.h"
#include "worker/worker.h"

/* Tensors have few axes; an output with more is a task error. */
enum { CONTENT_MAX_RANK = 16 };

struct content {
	const struct footprint *fp;
	const struct group *group;
	bool is_expected;      /* `want` is filled */
	unsigned char **in;    /* per argument: pristine bytes of in and inout tensors, else NULL */
	void **want;           /* per argument: the oracle's answer for out and inout (judge.h) */
	struct tolerance *own; /* per argument: what the reference earned here, see own_error.h */
	/* per party (reference, candidate) and argument */
	struct fingerprint *seen[2];
	uint64_t call_ns[2]; /* per party: quickest call seen on this; 0: none yet */
};

/* Without inputs or expected values: both are made by who asks, in memory of pages_new. */
void content_init(struct content *c, const struct footprint *fp, const struct group *group);
/* Draw the inputs of a case from `seed`. */
int content_fill(struct content *c, const struct worker *w, const struct footprint *fp,
		 const struct group *group, uint64_t seed, struct err *e);
void content_release(struct content *c);
/* Inputs only: they can be drawn again from the seed. */
void content_drop_inputs(struct content *c);
/* Size of one element of `want`: 8 for floats, else as stored. */
size_t want_cell_bytes(const struct operand *o);

/* Where the outputs of one call stand, by argument, and what the call was given. */
struct answer {
	unsigned char **got; /* per argument; only outputs are looked at */
	uint64_t poison_salt;
	const char *stray_write;    /* see judge.h */
	const char *not_repeatable; /* see judge.h */
};
/* Judge an answer against the expected values; tolerances by group and output. */
int content_judge(const struct content *c, const struct tolerances *t, const struct answer *a,
		  struct judgement *out, struct err *e);
/* What compare_run needs to tell how far output `arg` of an answer is from the expected values; no
 * tolerance is set. `extent` gets its axes and stays in use. */
int content_to_compare(const struct content *c, const struct answer *a, size_t arg,
		       int64_t extent[CONTENT_MAX_RANK], struct compare_spec *out, struct err *e);

#endif
