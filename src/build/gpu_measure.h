/*
 * The ceilings of the GPU of this machine: measured once by a small program that nvcc compiles here
 * (gpu_measure.cu), then read from their file (model/ceilings.h). The worker on the host of a job
 * and forge doctor ask alike.
 */
#ifndef FORGE_BUILD_GPU_MEASURE_H
#define FORGE_BUILD_GPU_MEASURE_H

#include <stdbool.h>

#include "base/mem.h"
#include "model/ceilings.h"

struct err;
struct gpu;

/* What is known of a device. */
struct gpu_ceilings {
	struct arena arena; /* of the texts */
	struct ceilings c;
	bool is_there;
	char *trouble; /* why they could not be stored, though they are known; or NULL */
};
void gpu_ceilings_release(struct gpu_ceilings *k);
#define AUTO_GPU_CEILINGS __attribute__((cleanup(gpu_ceilings_release)))

/* What the measuring program printed: "name value" lines. */
int gpu_measure_parse(const char *text, struct ceilings *c, struct arena *a, struct err *e);
/* Compile and run it: about 10 s. Nothing is stored. */
int gpu_measure_now(const struct gpu *g, struct ceilings *c, struct arena *a, struct err *e);
/* Those of the file; where there is none they are measured and stored, if `may_measure`. */
int gpu_measure_ceilings(const struct gpu *g, bool may_measure, struct gpu_ceilings *out,
			 struct err *e);

#endif
