/*
 * Screens: what a leaf object must not hold (DESIGN.md 9). Run by build_run on every object before
 * it is linked. A refusal is a verdict that names the thing; VERDICT_NONE is "no objection".
 */
#ifndef FORGE_BUILD_SCREEN_H
#define FORGE_BUILD_SCREEN_H

#include <stddef.h>

#include "model/verdict.h"

struct disasm;
struct leaf;

struct screen_input {
	const struct leaf *object;
	const struct disasm *disasm;
	const char *entry;
	unsigned threads;
	const char *const *deny; /* names the task adds to the derived deny list */
	size_t nr_deny;
};

struct verdict screen_run(const struct screen_input *in);

#endif
