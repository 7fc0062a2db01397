/*
 * Medians of the samples of one shape and slot: for the profile and the physical floor only. The
 * decision is made elsewhere, from the raw samples.
 */
#ifndef FORGE_WORKER_TIMES_H
#define FORGE_WORKER_TIMES_H

#include "model/result.h"

/* Nanoseconds of one call over the rounds that were kept; 0 when there are none. */
double times_call_ns(const struct result *r, unsigned shape, enum slot slot);
/* CPU time of the side in a whole sample. */
double times_cpu_ns(const struct result *r, unsigned shape, enum slot slot);
/* Nanoseconds of a whole sample, and how much longer it was by the worker's clock than by the
 * runner's. */
double times_window_ns(const struct result *r, unsigned shape, enum slot slot);
double times_gap_ns(const struct result *r, unsigned shape, enum slot slot);
/* CPU time over time of all kept samples: how many cores the side kept busy. */
double times_cores_used(const struct result *r, enum slot slot);
/* Geometric mean of times_call_ns over all shapes. */
double times_geomean_ns(const struct result *r, enum slot slot);

#endif
