/*
 * The driver's entry points that libforge-gpu uses, found by name at run time: no header and no
 * library of a toolkit is needed to build it, and it starts where there is no device. Types and
 * numbers are those of the driver's stable interface.
 */
#ifndef FORGE_GPU_CUDA_API_H
#define FORGE_GPU_CUDA_API_H

#include <stddef.h>
#include <stdint.h>

#include "sys/gpu_launch.h"

typedef uint64_t cuda_address;

enum cuda_result {
	CUDA_OK = 0,
	CUDA_OUT_OF_MEMORY = 2,
	CUDA_NOT_READY = 600,
	CUDA_ILLEGAL_ADDRESS = 700,
	CUDA_LAUNCH_TIMEOUT = 702,
	CUDA_ASSERT = 710,
	CUDA_FIRST_FAULT = 714, /* stack, instruction, alignment, address space, program counter */
	CUDA_LAST_FAULT = 719,
};

enum cuda_attribute {
	CUDA_ATTR_NR_SM = 16,
	CUDA_ATTR_L2_BYTES = 38,
	CUDA_ATTR_MAJOR = 75,
	CUDA_ATTR_MINOR = 76,
	CUDA_ATTR_NR = 150, /* numbers above are not asked for */
};

enum cuda_function_attribute {
	CUDA_FUNC_MAX_THREADS = 0,
	CUDA_FUNC_SHARED = 1,
	CUDA_FUNC_CONSTANT = 2,
	CUDA_FUNC_LOCAL = 3,
	CUDA_FUNC_REGISTERS = 4,
	CUDA_FUNC_BINARY = 6,
	CUDA_FUNC_MAX_DYNAMIC_SHARED = 8,
	CUDA_FUNC_CARVEOUT = 9,
	CUDA_FUNC_NON_PORTABLE_CLUSTER = 14,
};

enum cuda_node { CUDA_NODE_KERNEL = 0, CUDA_NODE_MEMCPY = 1, CUDA_NODE_MEMSET = 2 };

enum {
	CUDA_LAUNCH_COOPERATIVE = 2,
	CUDA_LAUNCH_CLUSTER = 4,
	CUDA_STREAM_NON_BLOCKING = 1,
	CUDA_CAPTURE_RELAXED = 2,
	CUDA_HOST_MAPPED = 2,
};

struct cuda_launch_attribute {
	unsigned id;
	unsigned pad;
	union {
		unsigned char bytes[64];
		int is_on;
		unsigned sizes[3];
	} value;
};

struct cuda_launch_config {
	unsigned grid[3];
	unsigned block[3];
	unsigned shared_bytes;
	void *stream;
	struct cuda_launch_attribute *attributes;
	unsigned nr_attributes;
};

/* CALL(name, symbol, parameters, must it be there) */
#define CUDA_CALLS(CALL)                                                                           \
	CALL(init, "cuInit", (unsigned), 1)                                                        \
	CALL(driver_version, "cuDriverGetVersion", (int *), 1)                                     \
	CALL(device_count, "cuDeviceGetCount", (int *), 1)                                         \
	CALL(device_get, "cuDeviceGet", (int *, int), 1)                                           \
	CALL(device_name, "cuDeviceGetName", (char *, int, int), 1)                                \
	CALL(device_bus, "cuDeviceGetPCIBusId", (char *, int, int), 0)                             \
	CALL(device_memory, "cuDeviceTotalMem_v2", (size_t *, int), 1)                             \
	CALL(device_attribute, "cuDeviceGetAttribute", (int *, int, int), 1)                       \
	CALL(context_retain, "cuDevicePrimaryCtxRetain", (void **, int), 1)                        \
	CALL(context_release, "cuDevicePrimaryCtxRelease_v2", (int), 1)                            \
	CALL(context_use, "cuCtxSetCurrent", (void *), 1)                                          \
	CALL(context_wait, "cuCtxSynchronize", (void), 1)                                          \
	CALL(reset_persisting, "cuCtxResetPersistingL2Cache", (void), 0)                           \
	CALL(stream_new, "cuStreamCreate", (void **, unsigned), 1)                                 \
	CALL(stream_free, "cuStreamDestroy_v2", (void *), 1)                                       \
	CALL(stream_wait, "cuStreamSynchronize", (void *), 1)                                      \
	CALL(stream_query, "cuStreamQuery", (void *), 1)                                           \
	CALL(capture_begin, "cuStreamBeginCapture_v2", (void *, int), 1)                           \
	CALL(capture_end, "cuStreamEndCapture", (void *, void **), 1)                              \
	CALL(event_new, "cuEventCreate", (void **, unsigned), 1)                                   \
	CALL(event_free, "cuEventDestroy_v2", (void *), 1)                                         \
	CALL(event_record, "cuEventRecord", (void *, void *), 1)                                   \
	CALL(event_query, "cuEventQuery", (void *), 1)                                             \
	CALL(event_elapsed, "cuEventElapsedTime", (float *, void *, void *), 1)                    \
	CALL(mem_alloc, "cuMemAlloc_v2", (cuda_address *, size_t), 1)                              \
	CALL(mem_free, "cuMemFree_v2", (cuda_address), 1)                                          \
	CALL(host_alloc, "cuMemHostAlloc", (void **, size_t, unsigned), 1)                         \
	CALL(host_free, "cuMemFreeHost", (void *), 1)                                              \
	CALL(host_address, "cuMemHostGetDevicePointer_v2", (cuda_address *, void *, unsigned), 1)  \
	CALL(to_device, "cuMemcpyHtoDAsync_v2", (cuda_address, const void *, size_t, void *), 1)   \
	CALL(to_host, "cuMemcpyDtoHAsync_v2", (void *, cuda_address, size_t, void *), 1)           \
	CALL(copy, "cuMemcpyDtoDAsync_v2", (cuda_address, cuda_address, size_t, void *), 1)        \
	CALL(set, "cuMemsetD8Async", (cuda_address, unsigned char, size_t, void *), 1)             \
	CALL(module_load, "cuModuleLoadData", (void **, const void *), 1)                          \
	CALL(module_free, "cuModuleUnload", (void *), 1)                                           \
	CALL(module_function, "cuModuleGetFunction", (void **, void *, const char *), 1)           \
	CALL(module_count, "cuModuleGetFunctionCount", (unsigned *, void *), 0)                    \
	CALL(function_set, "cuFuncSetAttribute", (void *, int, int), 1)                            \
	CALL(function_get, "cuFuncGetAttribute", (int *, int, void *), 1)                          \
	CALL(occupancy, "cuOccupancyMaxActiveBlocksPerMultiprocessor",                             \
	     (int *, void *, int, size_t), 1)                                                      \
	CALL(launch, "cuLaunchKernelEx",                                                           \
	     (const struct cuda_launch_config *, void *, void **, void **), 1)                     \
	CALL(graph_free, "cuGraphDestroy", (void *), 1)                                            \
	CALL(graph_nodes, "cuGraphGetNodes", (void *, void **, size_t *), 1)                       \
	CALL(graph_node_type, "cuGraphNodeGetType", (void *, int *), 1)                            \
	CALL(graph_make, "cuGraphInstantiateWithFlags", (void **, void *, unsigned long long), 1)  \
	CALL(graph_upload, "cuGraphUpload", (void *, void *), 1)                                   \
	CALL(graph_launch, "cuGraphLaunch", (void *, void *), 1)                                   \
	CALL(exec_free, "cuGraphExecDestroy", (void *), 1)                                         \
	CALL(profiler_start, "cuProfilerStart", (void), 0)                                         \
	CALL(profiler_stop, "cuProfilerStop", (void), 0)                                           \
	CALL(error_name, "cuGetErrorName", (int, const char **), 1)                                \
	CALL(error_text, "cuGetErrorString", (int, const char **), 1)                              \
	CALL(encode_tensor, "cuTensorMapEncodeTiled",                                              \
	     (void *, int, uint32_t, cuda_address, const uint64_t *, const uint64_t *,             \
	      const uint32_t *, const uint32_t *, int, int, int, int),                             \
	     0)

struct cuda_api {
	void *handle;
#define CALL(name, symbol, parameters, must) int(*name) parameters;
	CUDA_CALLS(CALL)
#undef CALL
};

/* 0, or -1 with `why` filled. `file` is "libcuda.so.1" unless a test says otherwise. */
int cuda_api_load(struct cuda_api *api, const char *file, char *why, size_t why_len);
void cuda_api_unload(struct cuda_api *api);

struct nvml_api {
	void *handle;
	void *device;
	int (*init)(void);
	int (*shutdown)(void);
	int (*by_bus)(const char *, void **);
	int (*clock)(void *, int, unsigned *);
	int (*throttle)(void *, unsigned long long *);
	int (*temperature)(void *, int, unsigned *);
	int (*power)(void *, unsigned *);
};

/* 1: it is there and knows the device; 0: it is not, which is nobody's fault. */
int nvml_api_load(struct nvml_api *api, const char *file, const char *bus);
void nvml_api_unload(struct nvml_api *api);

#endif
