/*
 * What the driver says of the GPUs of this machine. It is asked in a child process that loads
 * libcuda by name and ends: everything starts where there is none, and a driver that crashes or
 * hangs takes nobody along.
 */
#ifndef FORGE_SYS_GPU_H
#define FORGE_SYS_GPU_H

#include <stdbool.h>
#include <stdint.h>

struct err;

struct gpu {
	char name[128];
	int driver; /* highest CUDA version it serves, 13000: 13.0 */
	int nr;     /* devices; what follows is of the first */
	int major;  /* compute capability */
	int minor;
	int nr_sm;
	int l2_bytes;
	uint64_t memory_bytes;
	char bus[32]; /* "0000:01:00.0"; "" when the driver does not say */
};

/* 0 with *out filled, or -1: no driver, no device, or trouble with them (ERR_SYSTEM, with the
 * cure). `library` is NULL for $FORGE_CUDA_DRIVER, or the driver's own name. */
int gpu_probe(struct gpu *out, const char *library, struct err *e);
/* The target nvcc compiles for to get all that the device has: "sm_90a", "sm_86". */
void gpu_arch(const struct gpu *g, char out[16]);

/* Of the kind of device: name, capability, multiprocessors, cache and memory. */
enum { GPU_FINGERPRINT_LEN = 16 };
void gpu_fingerprint(const struct gpu *g, char out[GPU_FINGERPRINT_LEN + 1]);

#endif
