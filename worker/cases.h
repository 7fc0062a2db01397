/*
 * The cases of a job, shape by shape, and what is known of each shape while the job goes on.
 */
#ifndef FORGE_WORKER_CASES_H
#define FORGE_WORKER_CASES_H

#include "worker/content.h"
#include "worker/footprint.h"
#include "worker/worker.h"

struct shape_cases {
	const struct shape *shape;
	struct footprint fp;
	struct content *contents; /* one per group of the shape, and perhaps a near twin of one */
	size_t nr;
	bool is_probed; /* further contents are made of its groups' */
	size_t nr_groups;
	struct mixture_range *ranges; /* of inputs, by argument, once measured; or NULL */
	bool has_own_errors;          /* of the reference, in every content's `own` */
	uint64_t call_ns[2]; /* of reference and candidate, mean over contents; 0: none yet */
};

struct cases {
	struct shape_cases *shapes;
	size_t nr;
	size_t nr_cases; /* shapes times groups */
};

/* The visible shapes, and the held-out ones when the job asks for them. Contents are drawn by
 * cases_fill. */
int cases_init(struct cases *c, const struct worker *w, struct err *e);
int cases_fill(struct shape_cases *s, const struct worker *w, uint64_t seed, struct err *e);
/* A note where a call costs a party much more on one timed group than on another: its time is that
 * of their mixture, and users who know one kind of input would not know it again. */
void cases_note_costs(struct worker *w, const struct cases *c);
void cases_release(struct cases *c);
#define AUTO_CASES __attribute__((cleanup(cases_release)))

#endif
