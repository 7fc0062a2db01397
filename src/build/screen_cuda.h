/*
 * Screens of what nvcc made (screens_cuda.def): the host object as such, and the device code that
 * is embedded in it, as machine code and as the PTX it was assembled from. Run by build_run before
 * anything is linked. A refusal is a verdict that names the thing.
 */
#ifndef FORGE_BUILD_SCREEN_CUDA_H
#define FORGE_BUILD_SCREEN_CUDA_H

#include "build/fatbin.h"
#include "build/leaf.h"
#include "build/screen.h"

struct screen_cuda_input {
	struct screen_input host;
	unsigned arch;     /* of the target, 90 */
	const char *ptx;   /* that was assembled */
	const char *sass;  /* a listing of the machine code, or "" */
	struct leaf cubin; /* filled by the screen device_image */
};

/* Release in->cubin afterwards, by leaf_release. */
struct verdict screen_cuda_run(struct screen_cuda_input *in);
/* The only image of the object; false when there is none, or more, or it does not hold together
 * (then *e says so). */
bool screen_cuda_image(const struct leaf *object, struct fatbin_image *out, struct err *e);
/* The next kernel of a cubin from symbol *at on, or NULL; *at moves behind it. */
const struct symbol *screen_cuda_next_kernel(const struct leaf *cubin, size_t *at);
/* Kernels in a cubin. */
size_t screen_cuda_kernels(const struct leaf *cubin);

#endif
