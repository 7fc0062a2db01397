/*
 * What a call of a GPU kernel takes at least, by what the device copied in this very job and what
 * its matrix units compute, and how near the kernels came.
 */
#ifndef FORGE_WORKER_GPU_FLOOR_H
#define FORGE_WORKER_GPU_FLOOR_H

#include <stdint.h>

struct gpu_rates;
struct worker;

/* May change a passing verdict to below_floor. */
void gpu_floor_check(struct worker *w, const struct gpu_rates *rates, uint64_t l2_bytes);
/* Metrics of both parties, as profile_finish makes them. */
void gpu_profile_finish(struct worker *w);

#endif
