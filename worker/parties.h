/*
 * The build stage: reference, candidate and oracle, as far as the job needs them. What was built
 * goes into the "build" part of the result; compiler output into BUNDLE/log/.
 */
#ifndef FORGE_WORKER_PARTIES_H
#define FORGE_WORKER_PARTIES_H

#include "worker/worker.h"

/* A candidate that may not run becomes result.verdict; a reference or judge that does not build is
 * an error. */
int parties_build(struct worker *w, struct err *e);

#endif
