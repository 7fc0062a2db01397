/*
 * The memory that a worker and a recorder (forge-runner-cuda) share beside the doorbell: region 0
 * holds orders, which a recorder maps read-only; region 1 takes the recording. The recorder has no
 * device: what host code may ask about one stands in the orders. Nothing in a recording is trusted,
 * candidate code can write there.
 */
#ifndef FORGE_SYS_GPU_RECORDER_H
#define FORGE_SYS_GPU_RECORDER_H

#include <stdint.h>

#include "sys/gpu_launch.h"

enum {
	GPU_RECORDER_VERSION = 1,
	GPU_RECORDER_ORDERS_BYTES = 1 << 20,
	GPU_RECORDER_BYTES = 1 << 20,
	GPU_RECORDER_MAX_ARGS = 256,
	GPU_RECORDER_NR_ATTRIBUTES = 256,
	GPU_RECORDER_TEXT_BYTES = 160,
};

#define GPU_RECORDER_UNKNOWN INT32_MIN

enum { GPU_RECORDER_ORDERS, GPU_RECORDER_ANSWER, GPU_RECORDER_REGIONS };

/* A kernel of the image. Places are offsets into the orders. */
struct gpu_function {
	uint32_t name_at; /* text with its zero */
	uint32_t params_at;
	uint32_t nr_params;
	int32_t registers;
	int32_t shared_bytes; /* static */
	int32_t local_bytes;
	int32_t constant_bytes;
	int32_t max_threads;
	int32_t max_shared_bytes; /* dynamic, unless it is raised */
	int32_t binary;           /* 90 */
};

struct gpu_recorder_orders {
	uint32_t version;
	uint32_t nr_args;
	uint64_t stream;   /* the value that stands for the given stream */
	uint64_t magic[2]; /* of this recorder's launches */
	uint8_t is_pointer[GPU_RECORDER_MAX_ARGS];
	/* By their number in the driver; GPU_RECORDER_UNKNOWN: the device has none such. */
	int32_t attributes[GPU_RECORDER_NR_ATTRIBUTES];
	uint32_t nr_functions;
	uint32_t functions_at;
};

struct gpu_recording {
	uint32_t version;
	uint32_t is_refused;
	char refused[GPU_RECORDER_TEXT_BYTES]; /* the first thing that was */
	struct gpu_launches launches;          /* and the records */
};

#endif
