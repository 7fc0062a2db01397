/*
 * Launches as data: what a host function asked a GPU to do, one record after the other. The
 * recorder (forge-runner-cuda) writes them, the worker checks and relocates them, libforge-gpu
 * plays them (docs/format/gpu-runner.md). No pointer of a process is in them, only addresses of a
 * device, or what stands for such.
 */
#ifndef FORGE_SYS_GPU_LAUNCH_H
#define FORGE_SYS_GPU_LAUNCH_H

#include <stddef.h>
#include <stdint.h>

enum gpu_launch_kind { GPU_LAUNCH_KERNEL = 1, GPU_LAUNCH_MEMSET = 2, GPU_LAUNCH_TENSOR = 3 };

enum gpu_launch_flag { GPU_LAUNCH_COOPERATIVE = 1 };

enum {
	GPU_LAUNCH_MAX_NAME = 4096,
	GPU_LAUNCH_MAX_PARAM_BYTES = 32764, /* of a kernel, on the newest devices */
	GPU_LAUNCH_MAX_PARAMS = 1024,
	GPU_LAUNCH_NO_CARVEOUT = -1,
};

/* Where a parameter lies among the parameter bytes of its kernel. */
struct gpu_param {
	uint32_t offset;
	uint32_t bytes;
};

/*
 * One record, at a multiple of eight bytes. Behind it lie, each padded with zeros to a multiple of
 * eight: the kernel's name with its terminating zero (name_bytes counts it), nr_params structs
 * gpu_param, and param_bytes bytes of parameters in the kernel's own layout.
 *
 * A record of kind TENSOR stands for a tensor map that was encoded: its "parameters" are a struct
 * gpu_tensor. A later kernel that got the map carries in its place the 128 bytes of a struct
 * gpu_tensor_mark, which are replaced by the encoded map when the launches are played.
 */
struct gpu_launch {
	uint32_t bytes; /* of record and all behind it */
	uint32_t kind;
	uint32_t grid[3];
	uint32_t block[3];
	uint32_t cluster[3]; /* 0: none */
	uint32_t shared_bytes;
	uint32_t max_shared_bytes; /* cudaFuncAttributeMaxDynamicSharedMemorySize; 0: not set */
	int32_t carveout;          /* preferred share of shared memory; -1: not set */
	uint32_t non_portable_cluster;
	uint32_t flags;
	uint32_t name_bytes;
	uint32_t nr_params;
	uint32_t param_bytes;
	uint32_t value; /* memset: one byte */
	uint64_t at;    /* memset */
	uint64_t width; /* memset: bytes */
};

enum { GPU_TENSOR_MAX_RANK = 5, GPU_TENSOR_MAP_BYTES = 128 };

/* Arguments of cuTensorMapEncodeTiled. */
struct gpu_tensor {
	uint64_t at;
	uint32_t type;
	uint32_t rank;
	uint64_t size[GPU_TENSOR_MAX_RANK];
	uint64_t stride[GPU_TENSOR_MAX_RANK]; /* bytes, of axes 1.. */
	uint32_t box[GPU_TENSOR_MAX_RANK];
	uint32_t step[GPU_TENSOR_MAX_RANK];
	uint32_t interleave;
	uint32_t swizzle;
	uint32_t promotion;
	uint32_t fill;
};

/* In place of an encoded map: `magic` is drawn anew for every recording. */
struct gpu_tensor_mark {
	uint64_t magic[2];
	uint64_t index; /* of the TENSOR record among those of its kind */
	uint64_t zeros[13];
};

/* A record with its parts. */
struct gpu_record {
	struct gpu_launch *launch;
	char *name; /* kernels only */
	struct gpu_param *params;
	unsigned char *values; /* param_bytes of them, and padding to a multiple of eight */
};

/* The record at byte `at` of a list that holds `len` bytes of records. 0, or -1: it does not hold
 * together. */
int gpu_record_at(unsigned char *bytes, uint64_t len, uint64_t at, struct gpu_record *out);
/* Up to the next multiple of eight. */
uint64_t gpu_record_padded(uint64_t bytes);

/* Head of a recording or of a list of launches. */
struct gpu_launches {
	uint64_t magic[2];
	uint32_t nr;    /* records */
	uint32_t bytes; /* of all records, this head left out */
};

#endif
