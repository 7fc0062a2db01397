/*
 * The device library's own kernels as machine code for the device at hand: compiled by nvcc when
 * they are first needed on a machine, and kept.
 */
#ifndef FORGE_WORKER_GPU_KERNELS_H
#define FORGE_WORKER_GPU_KERNELS_H

struct err;
struct worker;

/* Path of the cubin; yours. */
char *gpu_kernels_find(const struct worker *w, struct err *e);

#endif
