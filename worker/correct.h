/*
 * The correctness stage: every case of the job, judged. Fills result.cases and result.verdict.
 */
#ifndef FORGE_WORKER_CORRECT_H
#define FORGE_WORKER_CORRECT_H

#include "worker/cases.h"
#include "worker/worker.h"

/* Contents of timed groups stay in `cases` with expected values and the candidate's verified bits
 * when the job goes on to time; all else is dropped shape by shape. */
int correct_run(struct worker *w, struct cases *cases, struct err *e);
/* Key of the fingerprints of this job. */
uint64_t correct_fingerprint_key(const struct worker *w);

#endif
