/*
 * The build stage: reference, candidate and oracle, as far as the job needs them. What was built
 * goes into the "build" part of the result; compiler output into BUNDLE/log/.
 */
#ifndef FORGE_WORKER_PARTIES_H
#define FORGE_WORKER_PARTIES_H

#include "worker/worker.h"

struct listing;

/* A candidate that may not run becomes result.verdict; a reference or judge that does not build is
 * an error. */
int parties_build(struct worker *w, struct err *e);
/* Instructions of the reference that was built: see build/listing.h. */
int parties_listing(const struct worker *w, size_t from, size_t max_bytes, struct listing *out,
		    struct err *e);

#endif
