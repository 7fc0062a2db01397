/*
 * The device process as the worker sees it (docs/format/gpu-runner.md): started with shared memory,
 * asked by lines, ended. Who faults or hangs is an answer, not an err; the process is gone then.
 */
#ifndef FORGE_WORKER_GPU_DEVICE_H
#define FORGE_WORKER_GPU_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "model/result.h"
#include "sys/gpu_recorder.h"
#include "sys/side.h"
#include "worker/gpu_box.h"

struct err;
struct verdict;

struct gpu_device {
	struct child *child;
	struct gpu_box box; /* around it */
	struct region shared;
	/* Of the device, once it is open. */
	char *name;
	uint64_t l2_bytes;
	uint64_t memory_bytes;
	int driver;
	bool has_nvml;
	int32_t attributes[GPU_RECORDER_NR_ATTRIBUTES];
	bool is_lost;     /* its context is gone, and so is the process */
	uint64_t host_ns; /* what host code of a candidate may take for a reply; 0: there is none */
	struct str line;  /* the last reply */
};

struct gpu_device_wish {
	size_t shared_bytes;
	bool has_modules; /* the process in Python, which loads modules */
	enum party party; /* whose code it loads; PARTY_NR: everybody's */
};
/* In a box of its own. */
int gpu_device_start(struct gpu_device **out, struct worker *w, const struct gpu_device_wish *wish,
		     struct err *e);
/* By another program, whose words come first; with shared memory for the task. That program is a
 * profiler, which needs what a box takes away, so it has none. */
struct strv;
int gpu_device_start_under(struct gpu_device **out, struct worker *w, const struct strv *prefix,
			   bool has_modules, struct err *e);
void gpu_device_free(struct gpu_device **d);
#define AUTO_GPU_DEVICE __attribute__((cleanup(gpu_device_free)))

/* One request. An enum outcome (worker/outcome.h), or -1: DONE with d->line, VERDICT with *v: a
 * fault, a timeout (of the device or of a candidate's host code), launches that may not be played;
 * *v may be NULL where none of these can be. */
int gpu_device_ask(struct gpu_device *d, struct worker *w, struct verdict *v, struct err *e,
		   const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* Words of the last reply; an error names what is missing. */
const char *gpu_device_word(const struct gpu_device *d, const char *key, size_t *len);
/* Text that a word stands for, or NULL; yours. */
char *gpu_device_text(const struct gpu_device *d, const char *key);
int gpu_device_number(const struct gpu_device *d, const char *key, double *out, struct err *e);
/* The next of a list of hexadecimal numbers: *at begins at a word. */
bool gpu_device_hex(const char **at, uint64_t *out);

/* "a b%c" as it may stand in a request; yours. */
char *gpu_device_encode(const char *text);

#endif
