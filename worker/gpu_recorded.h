/*
 * A recording once it is known which of its words are addresses: two recordings at different
 * addresses agree in everything else. It can then be written out for any operands.
 */
#ifndef FORGE_WORKER_GPU_RECORDED_H
#define FORGE_WORKER_GPU_RECORDED_H

#include <stdint.h>

#include "base/str.h"
#include "sys/gpu_launch.h"
#include "worker/footprint.h"

struct err;
struct verdict;

/* One recording, as a recorder left it, and where operands were said to lie (0 for scalars). */
struct gpu_seen {
	const void *bytes; /* a head and records */
	const struct footprint *fp;
	const uint64_t *at;
};

struct gpu_relocation {
	uint32_t place; /* byte of the records */
	uint32_t arg;
	uint64_t offset;
};

struct gpu_recorded {
	struct gpu_launches head;
	unsigned char *bytes;
	struct gpu_relocation *items;
	size_t nr;
	uint32_t *marks; /* bytes of the records at which marks of tensor maps begin */
	size_t nr_marks;
	uint32_t nr_tensors; /* tensor maps that a call makes */
	uint32_t nr_nodes;   /* kernels and memsets */
};

/* Fills *v (bad_launch) when they do not hold together, hold no launch, or differ in what is no
 * address of an operand. */
void gpu_recorded_make(struct gpu_recorded *r, const struct gpu_seen *one,
		       const struct gpu_seen *two, struct verdict *v);
void gpu_recorded_release(struct gpu_recorded *r);

/* Append the records for operands at these addresses (by argument), as they are played; `call` is
 * how often they were written to this list before: its tensor maps come behind those of earlier
 * calls. */
void gpu_recorded_write(const struct gpu_recorded *r, const uint64_t *at, unsigned call,
			struct str *out);

#endif
