/*
 * What the assembler of the GPU says of its kernels (`ptxas -v`): registers, spills, stack, static
 * shared memory. The text comes from a compiler's messages, into which a source can write, too: a
 * report that says a thing twice is refused as a whole.
 */
#ifndef FORGE_BUILD_PTXAS_REPORT_H
#define FORGE_BUILD_PTXAS_REPORT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"

struct err;

struct ptxas_kernel {
	const char *name; /* as the linker knows it */
	bool has_usage;
	uint64_t registers; /* a thread */
	uint64_t barriers;
	uint64_t shared_bytes; /* static */
	uint64_t stack_bytes;  /* deepest frame */
	uint64_t spill_store_bytes;
	uint64_t spill_load_bytes;
	bool is_serialized; /* asynchronous matrix instructions wait for each other */
};

struct ptxas_report {
	struct arena arena;
	struct ptxas_kernel *kernels;
	size_t nr;
	size_t cap;
};

/* Lines of other programs are passed over. Release in both cases. */
int ptxas_report_parse(struct ptxas_report *r, const char *text, struct err *e);
void ptxas_report_release(struct ptxas_report *r);
#define AUTO_PTXAS_REPORT __attribute__((cleanup(ptxas_report_release)))
const struct ptxas_kernel *ptxas_report_find(const struct ptxas_report *r, const char *name);
/* The most of every kernel, spills summed, as flat metrics (docs/format/kernel.md). */
void ptxas_report_facts(const struct ptxas_report *r, json_t *facts);

#endif
