/*
 * What the management library of NVIDIA's driver says of a device at this moment: clocks, what
 * holds them back, heat, power. Loaded by name in a child, as the driver is (sys/gpu.h).
 */
#ifndef FORGE_SYS_NVML_H
#define FORGE_SYS_NVML_H

#include <stdbool.h>
#include <stdint.h>

struct err;
struct str;

/* 0: the library does not say. */
struct nvml_state {
	char driver[80]; /* version of the driver, "580.159.04" */
	unsigned sm_mhz;
	unsigned sm_max_mhz;
	unsigned memory_mhz;
	unsigned memory_max_mhz;
	unsigned temperature_c;
	unsigned power_mw;
	unsigned power_limit_mw;
	bool has_throttle;
	uint64_t throttle; /* bits of throttles.def */
};

/* `bus` is that of struct gpu, "" for the first device. `library` is NULL for its own name, or that
 * beside $FORGE_CUDA_DRIVER. Where it knows no such device out->driver is filled all the same. */
int nvml_probe(struct nvml_state *out, const char *bus, const char *library, struct err *e);

/* Names of throttles.def with commas; "" for none. */
void nvml_throttle_names(uint64_t bits, struct str *out);
/* In words, only what holds back a device that works; "" for nothing. */
void nvml_throttle_text(uint64_t bits, struct str *out);

#endif
