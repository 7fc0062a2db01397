/*
 * Part of `forge check` for a CUDA task: its reference is compiled and screened as every kernel
 * will be, and what the compiler says of it is shown. Nothing is run on a device.
 */
#ifndef FORGE_CMD_CHECK_CUDA_H
#define FORGE_CMD_CHECK_CUDA_H

#include <jansson.h>
#include <stdbool.h>

struct err;

/* Fills answer's "build". A reference that is refused is the task's trouble: *is_good is false. On
 * a machine without nvcc nothing is compiled, and that is said. */
int check_cuda(const char *dir, bool is_json, json_t *answer, bool *is_good, struct err *e);

#endif
