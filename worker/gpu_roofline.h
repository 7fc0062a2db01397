/*
 * The ceilings of the GPU of this machine. They are stored once a kind of device
 * (docs/format/ceilings.md); the first timed job on a machine measures them.
 */
#ifndef FORGE_WORKER_GPU_ROOFLINE_H
#define FORGE_WORKER_GPU_ROOFLINE_H

#include "model/ceilings.h"
#include "model/result.h"

struct worker;

/* Rates; 0: not known. */
struct gpu_rates {
	double bytes_per_s;      /* copied, read and written */
	double most_flops_per_s; /* of the matrix units: nothing computes faster */
	double flops_per_s;      /* of the units that the task's types compute in */
};

/* Those of the file, told in the result as "ceilings"; where there are none a note says why. */
struct gpu_rates gpu_rates_take(struct worker *w);

#endif
