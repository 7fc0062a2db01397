/*
 * The time of both sides by a leaderboard's own rule ([leaderboard.timing]): one process a side,
 * its calls one after the other, each timed alone by the worker's clock. That is the origin's
 * number; no decision is made by it, and the paired trial (trial.h) is measured beside it.
 */
#ifndef FORGE_WORKER_ORIGIN_TIME_H
#define FORGE_WORKER_ORIGIN_TIME_H

#include "worker/cases.h"
#include "worker/worker.h"

/* Records "origin", over the visible shapes. A candidate that fails on the way changes
 * result.verdict. */
int origin_time_run(struct worker *w, struct cases *cases, struct err *e);

#endif
