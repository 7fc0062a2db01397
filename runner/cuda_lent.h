/*
 * The CUDA runtime that a recorder lends to a host object (src/build/imports_cuda.def): every
 * launch becomes a record, every question is answered from the orders, nothing reaches a device.
 * What cannot be recorded is refused, and the refusal is noted once.
 */
#ifndef FORGE_RUNNER_CUDA_LENT_H
#define FORGE_RUNNER_CUDA_LENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sys/gpu_recorder.h"

/* Values of cudaError_t and CUresult. */
enum {
	CUDA_LENT_OK = 0,
	CUDA_LENT_INVALID_VALUE = 1,
	CUDA_LENT_INVALID_CONFIGURATION = 9,
	CUDA_LENT_INVALID_FUNCTION = 98,
	CUDA_LENT_INVALID_HANDLE = 400,
	CUDA_LENT_NOT_SUPPORTED = 801,
};

/* A function under the runtime's name and with its parameters, however many: prototype and head. */
#define LENT(type, name, params)                                                                   \
	type name params;                                                                          \
	type name params

/* A registered kernel: what the host knows it by, and what is known of it. */
struct cuda_lent_kernel {
	const void *stub;
	const struct gpu_function *function;
	uint32_t max_shared_bytes; /* as set, 0: never */
	int32_t carveout;
	uint32_t non_portable_cluster;
};

/* Before the object is loaded. The regions are those of sys/gpu_recorder.h. */
void cuda_lent_open(const struct gpu_recorder_orders *orders, struct gpu_recording *out);
/* Before each call of the entry. */
void cuda_lent_begin(void);

/* The kernel of a stub, or NULL. */
struct cuda_lent_kernel *cuda_lent_find(const void *stub);
/* An attribute of the device; 0 when there is none. */
int cuda_lent_attribute(unsigned number);
/* Note the first refusal; returns `code`, which also becomes the last error. */
int cuda_lent_refuse(int code, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* An answer with a code; the last error is kept as the runtime keeps it. */
int cuda_lent_answer(int code);

#endif
