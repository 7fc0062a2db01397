/*
 * What this machine has for tasks of NVIDIA GPUs, as one JSON document
 * (docs/format/command-json.md): forge doctor shows it, `forge-worker probe` prints it for machines
 * that forge does not run on.
 */
#ifndef FORGE_BUILD_GPU_FACTS_H
#define FORGE_BUILD_GPU_FACTS_H

#include <jansson.h>
#include <stdbool.h>

/* "device", "state", "toolkit", "ncu", "python", "ceilings": each its facts, or {"lack": why}, with
 * "cost" where the lack costs something. Ceilings that nobody knows are measured and stored if
 * `may_measure`. */
json_t *gpu_facts(bool may_measure);

#endif
