/*
 * libforge-gpu: everything that the trusted side does on an NVIDIA device. A process around it
 * reads request lines of forge-worker and prints reply lines (docs/format/gpu-runner.md); forge-gpu
 * is the smallest such process, one in Python can hold a context that PyTorch shares. C ABI, usable
 * by ctypes; nothing in it is safe to call from two threads. Needs libc and the driver, by dlopen.
 *
 * The one rule to remember: operands belong to the library. Whoever runs kernels gets addresses
 * from it, enqueues on its stream, and never allocates, copies or waits inside a sample.
 */
#ifndef FORGE_GPU_H
#define FORGE_GPU_H

#include <stddef.h>
#include <stdint.h>

#include "sys/gpu_launch.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { FORGE_GPU_VERSION = 1, FORGE_GPU_REPLY_BYTES = 1 << 16 };

enum forge_gpu_slot {
	FORGE_GPU_REFERENCE,
	FORGE_GPU_CANDIDATE,
	FORGE_GPU_REFERENCE_AGAIN,
	FORGE_GPU_NR_SLOTS
};

/* What a graph that was made elsewhere may hold beside kernels and memsets. */
enum forge_gpu_allow { FORGE_GPU_ALLOW_COPIES = 1 /* within the device */ };

struct forge_gpu; /* one device, its primary context, one stream, the operands of a shape */

int forge_gpu_version(void);

/* `shared` is memory that process and worker map both (descriptor 3 of the process), through which
 * operands travel. Nothing of the device is touched before the request `open`. NULL: no memory. */
struct forge_gpu *forge_gpu_new(void *shared, size_t shared_bytes);
void forge_gpu_free(struct forge_gpu *g);

/* One request line in, one reply line out (no newline in either); `reply` holds at least
 * FORGE_GPU_REPLY_BYTES. 1: go on. 0: the context is lost (a kernel faulted or hung): print the
 * reply and end the process. -1: the request was `quit`. */
int forge_gpu_request(struct forge_gpu *g, const char *line, char *reply);

/* Why the last function of this list that returned -1 did so; borrowed until the next one. */
const char *forge_gpu_error(const struct forge_gpu *g);

/* For processes that bring launches of their own, after the request `shape`. A stream is a
 * CUstream, a graph a CUgraph, both of the device's primary context. */
void *forge_gpu_stream(const struct forge_gpu *g);
unsigned forge_gpu_nr_sets(const struct forge_gpu *g);
unsigned forge_gpu_nr_args(const struct forge_gpu *g);
/* Where an argument of a set lies; 0: a scalar, or there is none. */
uint64_t forge_gpu_address(const struct forge_gpu *g, unsigned set, unsigned arg);
uint64_t forge_gpu_bytes(const struct forge_gpu *g, unsigned arg);

/* An output of a slot that lies elsewhere than in its set, because the slot's kernels allocate it:
 * it is poisoned, fingerprinted and read there. 0 or -1. */
int forge_gpu_put_output(struct forge_gpu *g, int slot, unsigned set, unsigned arg, uint64_t at);

/* What a sample of `slot` that begins with set `first` runs: `calls` calls, on sets first,
 * first + 1, ... The library copies what it needs. 0, or -1: refused, see forge_gpu_error. */
int forge_gpu_put_launches(struct forge_gpu *g, int slot, unsigned first, unsigned calls,
			   const void *launches, size_t bytes);
int forge_gpu_put_graph(struct forge_gpu *g, int slot, unsigned first, unsigned calls, void *graph,
			unsigned allow);
/* What can not be captured: `enqueue` is called inside the window and its samples carry the method
 * "direct". It returns 0, or something else to say that it failed. */
typedef int (*forge_gpu_enqueue_fn)(void *ctx, void *stream);
/* Does it wait for the device before it returns? It is called on a stream that is held, and if it
 * did not return before the hold gave up, on one that is not. 1, 0, or -1: it failed, or is too
 * slow to tell. */
int forge_gpu_call_waits(struct forge_gpu *g, forge_gpu_enqueue_fn enqueue, void *ctx);
/* How it is called: on a stream that is not held, for it would wait for what is held for it. */
enum forge_gpu_how { FORGE_GPU_WAITS = 1 };
int forge_gpu_put_call(struct forge_gpu *g, int slot, unsigned first, unsigned calls,
		       forge_gpu_enqueue_fn enqueue, void *ctx, unsigned how);

/* The fingerprint of outputs as the device computes it, of bytes in host memory. */
uint64_t forge_gpu_fingerprint(const void *bytes, size_t len, uint64_t key);

#ifdef __cplusplus
}
#endif

#endif
