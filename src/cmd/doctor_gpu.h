/*
 * The part of `forge doctor` about NVIDIA GPUs: the facts are those of build/gpu_facts.h.
 */
#ifndef FORGE_CMD_DOCTOR_GPU_H
#define FORGE_CMD_DOCTOR_GPU_H

#include <jansson.h>
#include <stdbool.h>

struct str;

/* Ceilings of a device that has none yet are measured and stored if `may_measure`, about 10 s. */
json_t *doctor_gpu(bool may_measure);
void doctor_gpu_print(const json_t *gpu, struct str *out);

#endif
