/*
 * What a cubin says of a kernel's parameters: where each lies among the parameter bytes and how
 * long it is. That is what a launch has to copy, and the host object does not tell. Bytes are a
 * candidate's to choose, so every length is checked.
 */
#ifndef FORGE_BUILD_NV_INFO_H
#define FORGE_BUILD_NV_INFO_H

#include <stddef.h>
#include <stdint.h>

#include "sys/gpu_launch.h"

struct err;
struct leaf;

struct nv_params {
	struct gpu_param items[GPU_LAUNCH_MAX_PARAMS]; /* in order of the source */
	size_t nr;
	uint32_t bytes; /* end of the last one */
};

int nv_info_params(const struct leaf *cubin, const char *kernel, struct nv_params *out,
		   struct err *e);

#endif
