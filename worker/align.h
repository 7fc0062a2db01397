/*
 * The calibrate job: the reference is held against the oracle on every case, held-out ones too; its
 * errors become tolerances; every case proves that it catches the cheats of the self-test. Writes
 * check/tolerances.json and the "calibration" part of the result.
 */
#ifndef FORGE_WORKER_ALIGN_H
#define FORGE_WORKER_ALIGN_H

#include "worker/cases.h"
#include "worker/worker.h"

/* A judge that disagrees with the reference, or a case that a cheat passes, is an error; the
 * document then lists what and where. */
int align_run(struct worker *w, struct cases *cases, struct err *e);

#endif
