/*
 * Counters of kernels on a GPU, by Nsight Compute: after a trial each party is played once more on
 * the largest shape, in a device process that ncu has started. What ncu can not do is told in the
 * result (docs/format/profile.md) and never fails a job.
 */
#ifndef FORGE_WORKER_GPU_PROFILE_H
#define FORGE_WORKER_GPU_PROFILE_H

#include "worker/worker.h"

struct cases;

/* Of reference and candidate, once they were judged and timed. */
void gpu_profile_run(struct worker *w, const struct cases *c);

/* What ncu left of one party. */
struct gpu_counted {
	enum party party;
	const char *log;  /* file with its table */
	const char *said; /* by the process it ran, and by itself elsewhere */
	const char *why;  /* what failed on our side; "" for nothing */
};
/* Why a party is not played in this job; NULL: it is. */
const char *gpu_profile_left_out(const struct worker *w, enum party p);
/* Metrics into the profile; or why there are none, and false. */
bool gpu_profile_take(struct worker *w, const struct gpu_counted *c);

#endif
