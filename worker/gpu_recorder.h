/*
 * Records what a party's host function launches at one shape: forge-runner-cuda in the sandbox of
 * kernels, called twice with addresses that are nobody's.
 */
#ifndef FORGE_WORKER_GPU_RECORDER_H
#define FORGE_WORKER_GPU_RECORDER_H

#include "worker/gpu_image.h"
#include "worker/gpu_recorded.h"

struct gpu_recorder_spec {
	enum party party;
	const struct gpu_image *image; /* with what the driver knows */
	const struct gpu_device *device;
	const struct footprint *fp;
	uint64_t call_deadline_ns;
};

/* An enum outcome, or -1. On DONE *out is filled, on VERDICT *v; release *out in any case. */
int gpu_recorder_run(struct worker *w, const struct gpu_recorder_spec *spec,
		     struct gpu_recorded *out, struct verdict *v, struct err *e);

#endif
