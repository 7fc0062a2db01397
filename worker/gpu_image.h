/*
 * The machine code of one party: taken out of the host object that was screened, put into a file of
 * its own for the device process, with what is known of its kernels.
 */
#ifndef FORGE_WORKER_GPU_IMAGE_H
#define FORGE_WORKER_GPU_IMAGE_H

#include "build/nv_info.h"
#include "worker/gpu_device.h"
#include "worker/worker.h"

struct gpu_kernel {
	char *name;
	struct nv_params params;
	/* Of the device's driver: see the request `functions`. */
	int registers;
	int shared_bytes;
	int local_bytes;
	int constant_bytes;
	int max_threads;
	int max_shared_bytes;
	int binary;
};

struct gpu_image {
	char *path;
	struct gpu_kernel *kernels;
	size_t nr;
};

/* From the party's build. */
int gpu_image_take(struct gpu_image *im, const struct worker *w, enum party p, struct err *e);
/* Load it into a slot ("reference", ...). An enum outcome, or -1. */
int gpu_image_put(const struct gpu_image *im, struct gpu_device *d, struct worker *w,
		  const char *slot, struct err *e);
/* What the driver knows of its kernels, once it is loaded into that slot. */
int gpu_image_ask(struct gpu_image *im, struct gpu_device *d, struct worker *w, const char *slot,
		  struct err *e);
void gpu_image_release(struct gpu_image *im);

#endif
