/*
 * The oracle: the judge's C file, run in a process of its own, after the outputs that it will judge
 * were copied. Its answers go into content.want and nowhere else.
 */
#ifndef FORGE_WORKER_ORACLE_H
#define FORGE_WORKER_ORACLE_H

#include <stddef.h>

#include "worker/content.h"
#include "worker/worker.h"

struct err;

/* Fill `want` of all contents of one shape that have none yet. An oracle that crashes or leaves
 * elements unwritten is an error of the job: the judge is wrong, not the kernel. */
int oracle_run(struct worker *w, const struct footprint *fp, struct content *contents, size_t nr,
	       struct err *e);

#endif
